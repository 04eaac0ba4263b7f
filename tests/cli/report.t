#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay report: where it looks, whom it believes, what it shows.
. "$(dirname "$0")/lib.sh"

# The record that was printed is as this jq expression says.
tells() {
	jq -e "$1" "$T/out" > "$T/jq"
}

# The records of a job of four nodes (tests/browser/stories.c): 1234.0.n0 ...
mkdir -p "$T/run" "$T/spool" "$T/shared/jobs" "$T/bin"
cat > "$T/bin/sacct" <<'S'
#!/bin/sh
dir=${0%/*}
echo "$*" >> "$dir/asked"
[ -f "$dir/answer" ] && cat "$dir/answer"
exit 0
S
chmod 755 "$T/bin/sacct"
config <<C
shared_dir = $T/shared
shared_user = $(id -un)
[slurm]
sacct = $T/bin/sacct
C
C="--config $T/assay.conf"
all() { "$BUILD/tests/browser/stories" "$1"; }
of_shared() { mkdir -p "$T/shared/jobs/$1"; }

ok "without a job it asks which" leaves 2 report $C
ok "and says so" says 'which job'
ok "what is no job id is refused" leaves 2 report $C '1;id'
ok "and says so too" says 'no job id'
ok "nobody knows job 1234" leaves 2 report $C 1234
ok "the accounting was asked last" grep -q -- '-j 1234 ' "$T/bin/asked"
ok "and knows nothing either" says 'sacct knows no job 1234'
ok "where else it was looked for is said" says 'no record of it in .*shared'
sed '/^shared/d' "$T/assay.conf" > "$T/alone.conf"
ok "without shared_dir, too" leaves 2 report --config "$T/alone.conf" 1234
ok "that it is not set is said" says 'shared_dir.*is not set'
ok "an option it does not know" leaves 2 report $C --htm x

all "$T/spool"
ok "from the spool" leaves 0 report $C 1234
ok "the block comes first" says '^job 1234 failed after 4:00:00'
ok "then the GPUs" says '^n2 +GPU5 +0 '
ok "what broke" says 'n0 GPU6: XID 94, contained memory error \(hardware\)'
ok "advice" says 'What to do'
ok "and from where" says 'as 4 nodes told'
ok "80 columns" is_narrow
ok "what the columns mean" says 'cap, heat, hw: seconds'
mkdir "$T/long" "$T/long/spool"
for n in 1 2; do
	sed "s/\"n$n\"/\"gpu-island-00$n\"/g" "$T/spool/1234.0.n$n.json" \
		> "$T/long/spool/1234.0.gpu-island-00$n.json"
done
sed "s|$T/spool|$T/long/spool|; s|$T/shared|$T/none|" "$T/assay.conf" \
	> "$T/long/assay.conf"
ok "nodes with long names" leaves 0 report --config "$T/long/assay.conf" 1234
ok "keep them" says '^gpu-island-001$'
ok "each once" test "$(grep -cx 'gpu-island-00[12]' "$T/out")" = 2
ok "80 columns" is_narrow
ok "as JSON" leaves 0 report $C 1234 --json
ok "which is a record" tells '.schema == "assay.job/1" and .kind == "job" and
	.nodes.reported == 4'
ok "as a page" leaves 0 report $C 1234 --html "$T/page.html"
ok "and nothing else" says_nothing
ok "which is whole" grep -q '</html>' "$T/page.html"
ok "not for others to read" test "$(stat -c %a "$T/page.html")" = 600
ok "the page on stdout" leaves 0 report $C 1234 --html -
ok "is the same" says '<h1>Job 1234</h1>'
ln -s "$T/victim" "$T/link.html"
ok "no page is written through a link" leaves 2 report $C 1234 --html "$T/link.html"
ok "and nothing is made there" test ! -e "$T/victim"

# Which of several counts.
of_shared 1234.0
mv "$T/spool/1234.0.n1.json" "$T/spool/1234.0.n2.json" \
	"$T/spool/1234.0.n3.json" "$T/shared/jobs/1234.0/"
for n in 1 2 3; do
	mv "$T/shared/jobs/1234.0/1234.0.n$n.json" "$T/shared/jobs/1234.0/n$n.json"
done
ok "spool and shared directory together" leaves 0 report $C 1234
ok "are four nodes" says 'as 4 nodes told'
ok "as a page, too" leaves 0 report $C 1234 --html "$T/within.html"
for n in 1 2 3; do
	f=$T/shared/jobs/1234.0/n$n
	jq -c '{schema: "assay.series/1", job: .job, series: .series}' "$f.json" \
		> "$f.series"
	jq -c 'del(.series)' "$f.json" > "$f.new" && mv "$f.new" "$f.json"
done
ok "with the series beside the records" leaves 0 report $C 1234 \
	--html "$T/beside.html"
ok "it is the same page" cmp -s "$T/within.html" "$T/beside.html"
rm "$T/shared/jobs/1234.0/n2.series"
ok "where some are lost there is one" leaves 0 report $C 1234 \
	--html "$T/lost.html"
ok "that shows less" not cmp -s "$T/within.html" "$T/lost.html"
of_shared 1234.1
sed 's/"restart":0/"restart":1/' "$T/shared/jobs/1234.0/n1.json" \
	> "$T/shared/jobs/1234.1/n1.json"
ok "of a requeued job" leaves 0 report $C 1234 --json
ok "the last run counts" tells '.job.restart == 1 and .nodes.reported == 1'
rm -r "$T/shared/jobs/1234.1"

# Whom it believes.
ln -sf "$T/spool/1234.0.n0.json" "$T/shared/jobs/1234.0/n0.json"
mkfifo "$T/shared/jobs/1234.0/n9.json"
rm "$T/shared/jobs/1234.0/n2.json"
printf '{"schema": "assay.job/1", "job"' > "$T/shared/jobs/1234.0/n2.json"
rm "$T/spool/1234.0.n0.json"
ok "links, FIFOs and torn records are passed over" leaves 0 report $C 1234 --json
ok "the rest is told" tells '.nodes.reported == 2 and .nodes.expected == 4'
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$T/shared/jobs/1234.0/n3.json"
	ok "so is what is not the shared user's" leaves 0 report $C 1234 --json
	ok "as root, too" tells '.nodes.reported == 1'
fi
rm -r "$T/shared/jobs/1234.0"

# Root reads root's, a user the copy that he may read.
all "$T/spool"
HUNG=$BUILD/tests/fake/hung
if "$HUNG" "$T/shared" true; then
	ASSAY="timeout 30 $HUNG $T/shared $ASSAY"
	in_the_dark() { $ASSAY report $C 1234 > "$T/out" 2>&1; }
	ok "shared_dir hangs: what this node knows is told" in_the_dark
	ok "and that it is not all" says 'shared_dir .* does not answer'
	ASSAY=$BUILD/assay
fi
if strangers && [ "$(id -u)" = 0 ]; then
	mkdir -p "$T/run/1234" "$T/spool/users/65534"
	chmod 711 "$T/run" "$T/run/1234" "$T/spool" "$T/spool/users" \
		"$T/spool/users/65534"
	mv "$T/spool/1234.0.n1.json" "$T/run/1234/record.json"
	ok "the records of root are not a user's to read" \
		leaves_a_stranger 2 report $C 1234
	cp "$T/run/1234/record.json" "$T/run/1234/user.json"
	chmod 600 "$T/run/1234/user.json"
	ok "nor is a copy for another" leaves_a_stranger 2 report $C 1234
	chmod 644 "$T/run/1234/user.json"
	ok "the copy that he may read is" leaves_a_stranger 0 report $C 1234
	ok "and says from where" says 'as node n1 told'
	mv "$T/run/1234/user.json" "$T/spool/users/65534/1234.json"
	ok "after the end, too" leaves_a_stranger 0 report $C 1234
	rm -r "$T/run/1234" "$T"/spool/1234.*
	mkdir "$T/run/1234"
	cp "$T/spool/users/65534/1234.json" "$T/run/1234/record.json"
	chown 65534 "$T/run/1234/record.json"
	ok "root does not believe what a user could have written" \
		leaves 2 report $C 1234
fi
rm -rf "$T/run" "$T/spool"

# The accounting.
rm -f "$T/bin/asked"
printf '777\n' > "$T/bin/answer"
ok "a task of an array" leaves 2 report $C 123_4
ok "is asked for by its own id" grep -q -- '-j 123_4 -o JobIDRaw' "$T/bin/asked"
printf 'some words of the site\n' > "$T/bin/answer"
ok "a comment that is somebody else's is no record" leaves 2 report $C 1234
ok "and is not shown" not says 'words of the site'
cp "$SRCDIR/tests/golden/two-nodes.js1" "$T/bin/answer"
ok "one of assay's is" leaves 0 report $C 1234
ok "as it says" says 'as the accounting keeps it'

done_testing
