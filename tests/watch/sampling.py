#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the sampler writes is what the scenario's GPUs do."""
import math

import node
from node import ramp, tap, uuid, wait

WATTS = 400
ALL = "4294967295"      # the sum over all links

SCENARIO = {"nvml": {"gpus": {
    "0": {"GetTotalEnergyConsumption": ramp(WATTS * 1000, 5000000),
          "GetPowerUsage": 450000,
          "GetTemperature": {"0": 61},
          "GetClockInfo": {"1": 1755, "2": 2619},
          "GetCurrentClocksEventReasons": 4,
          "GetUtilizationRates": {"gpu": 3, "memory": 1},
          "GpmQueryDeviceSupport": 1,
          "GpmMetricsGet": {"1": 80, "2": 70, "5": 40, "10": 30},
          "GetFieldValues": {
              "74": ramp(500000000), "269": ramp(100000000),
              "270": ramp(100000000), "271": ramp(250000000),
              "138:" + ALL: ramp(1000000), "139:" + ALL: ramp(500000),
              "197": ramp(30000000), "198": ramp(10000000)}},
    # before Hopper: no counters but these
    "1": {"GetPowerUsage": 300000,
          "GetUtilizationRates": {"gpu": 25, "memory": 1},
          "GetFieldValues": {"75": ramp(200000000)}},
    # a counter that is reset all the time
    "2": {"GetTotalEnergyConsumption": {"seq": [
        5000, 4000, 3000, 2000, 1000, 900, 800, 700, 600, 500, 400]}},
}}}


def near(got, want, share=0.1):
    return got is not None and abs(got - want) <= abs(want) * share


def totals(samples, name):
    return sum(s[name] for s in samples)


def per_s(samples, name):
    return totals(samples, name) / totals(samples, "length_s")


def mean(samples, name):
    return sum(s[name] * s["length_s"] for s in samples) / \
        totals(samples, "length_s")


def test_hopper(samples):
    tap.ok(near(per_s(samples, "energy_j"), WATTS), "energy adds up",
           samples)
    tap.ok(near(mean(samples, "power_w"), WATTS), "mean power is by energy")
    tap.ok(near(max(s["power_max_w"] for s in samples), 450),
           "highest power as told")
    for name, want in (("busy", 0.8), ("sm", 0.7), ("tensor", 0.4),
                       ("dram", 0.3)):
        tap.ok(near(mean(samples, name), want, 0.01), name + " of the pair")
    tap.ok(near(per_s(samples, "idle_s"), 0.2, 0.02), "idle where not busy")
    for name, want in (("held_power_s", 0.5), ("held_thermal_s", 0.2),
                       ("held_hw_s", 0.25)):
        tap.ok(near(per_s(samples, name), want), name + " as counted")
    tap.ok(near(per_s(samples, "nvlink_mb"), 1500 * 1.024), "NVLink bytes")
    tap.ok(near(per_s(samples, "pcie_mb"), 40), "PCIe bytes")
    last = samples[-1]
    tap.ok((last["sm_mhz"], last["mem_mhz"], last["temp_c"],
            last["reasons"]) == (1755, 2619, 61, 4), "clocks, heat, reasons",
           last)
    tap.ok(near(last["mem_used_mib"], 2, 0.01), "memory in use")


def test_older(samples):
    tap.ok(near(mean(samples, "busy"), 0.25, 0.01), "busy by utilization")
    tap.ok(all(math.isnan(s["sm"]) and math.isnan(s["tensor"])
               for s in samples), "activity is unknown, not 0")
    tap.ok(all(math.isnan(s["energy_j"]) for s in samples),
           "energy is unknown, not 0")
    tap.ok(near(mean(samples, "power_w"), 300, 0.01), "power as told")
    tap.ok(near(per_s(samples, "held_thermal_s"), 0.2),
           "heat by the older counter")
    tap.ok(all(math.isnan(s["held_hw_s"]) for s in samples),
           "what is not counted is unknown")


def main():
    with node.Node(SCENARIO) as n:
        code, said = n.prolog(7)
        tap.ok(code == 0, "the job runs", said)
        wait(20, lambda: len(n.track(uuid(0))[1]) >= 4)
        head, samples = n.track(uuid(0))
        tap.ok(len(samples) >= 4, "a sample each second", n.state())
        tap.ok(head[0] == b"assaytrk" and head[11].rstrip(b"\0") ==
               uuid(0).encode(), "its track is named")
        test_hopper(samples)
        test_older(n.track(uuid(1))[1])
        tap.ok(all(math.isnan(s["energy_j"]) and math.isnan(s["power_w"])
                   is False for s in n.track(uuid(2))[1]),
               "a counter that goes back is unknown")
        state = n.state()
        tap.ok(state["driver"] == "good" and
               state["snapshot"]["gpus"][uuid(0)]["energy_mj"] > 5000000,
               "the state tells what was read last", state)
        tap.ok(all(s["from_s"] >= 0 for s in samples), "none before the job")
        n.epilog(7)
    tap.done()


main()
