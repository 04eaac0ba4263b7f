/* SPDX-License-Identifier: Apache-2.0
 * html_style - how the page looks, by day and by night.
 */
#ifndef ASSAY_EPILOG_HTML_STYLE_H
#define ASSAY_EPILOG_HTML_STYLE_H

static const char html_style[] =
	":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#d8dee4;"
	"--dim:#656d76;--busy:#9ecbff;--power:#bc4c00;--clock:#6639ba;"
	"--cap:#d4a72c;--heat:#fb8f44;--bad:#cf222e}"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;"
	"--soft:#30363d;--dim:#8d96a0;--busy:#1f4f86;--power:#ffa657;"
	"--clock:#d2a8ff;--cap:#bb8009;--heat:#db6d28;--bad:#f85149}}"
	"body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);"
	"background:var(--paper);max-width:1000px;margin:2em auto;padding:0 1em}"
	"h1{font-size:1.5em;margin-bottom:0}h2{font-size:1.1em;margin-top:2em}"
	"pre{background:color-mix(in srgb,var(--soft) 35%,transparent);"
	"padding:.8em;overflow-x:auto;font-size:13px}"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px}"
	"th,td{padding:.2em .5em;border-bottom:1px solid var(--soft);"
	"text-align:left;white-space:nowrap;vertical-align:bottom}"
	"th{white-space:normal}.legend span{white-space:nowrap}"
	"span[title],.legend{color:var(--dim)}.legend{font-size:13px}"
	"svg{width:100%;height:auto;display:block;font-size:11px}"
	"text{fill:var(--ink)}text.tick{text-anchor:middle;"
	"fill:var(--dim)}path{fill:none;stroke-width:1.3}"
	"path.tick{stroke:var(--dim)}"
	"rect.frame{fill:none;stroke:var(--soft)}"
	"path.power_w{stroke:var(--power)}path.sm_mhz{stroke:var(--clock)}"
	"path.mark{stroke:var(--bad);stroke-width:2.5}"
	"rect.busy{fill:var(--busy)}"
	"rect.unknown{fill:var(--soft);opacity:.5}"
	"rect.powercap{fill:var(--cap)}rect.thermal{fill:var(--heat)}"
	"rect.hw{fill:var(--bad)}"
	".legend i{display:inline-block;width:1em;height:.7em;margin-left:.8em}"
	"i.busy{background:var(--busy)}i.power_w{background:var(--power)}"
	"i.sm_mhz{background:var(--clock)}i.powercap{background:var(--cap)}"
	"i.thermal{background:var(--heat)}i.hw,i.mark{background:var(--bad)}"
	"i.unknown{background:var(--soft)}"
	"rect.b0{fill:#6e7781}i.b0{background:#6e7781}"
	"rect.b1{fill:#cfe8cf}i.b1{background:#cfe8cf}"
	"rect.b2{fill:#9bd3a0}i.b2{background:#9bd3a0}"
	"rect.b3{fill:#5fb873}i.b3{background:#5fb873}"
	"rect.b4{fill:#2f9650}i.b4{background:#2f9650}"
	"rect.b5{fill:#0f6b35}i.b5{background:#0f6b35}"
	"rect.w0{fill:#2f9650}i.w0{background:#2f9650}"
	"rect.w1{fill:#1f77b4}i.w1{background:#1f77b4}"
	"rect.w2{fill:#8250df}i.w2{background:#8250df}"
	"rect.w3{fill:#d4a72c}i.w3{background:#d4a72c}"
	"rect.w4{fill:#9a6700}i.w4{background:#9a6700}"
	"rect.w5{fill:#fb8f44}i.w5{background:#fb8f44}"
	"rect.w6{fill:#6e7781}i.w6{background:#6e7781}";

#endif
