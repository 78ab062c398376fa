// Judges the report of the Autobahn test suite: every case must pass, or be in the skip list with its reason.
//
// usage: node check.mjs REPORTS/index.json SKIPS.txt AGENT

import { readFileSync } from 'node:fs';

const [index, skipList, agent] = process.argv.slice(2);

/** What a case may come to. NON-STRICT breaks a SHOULD alone, so it needs a reason as well. */
const PASSED = new Set(['OK', 'INFORMATIONAL']);
/** Cases of sections 1 to 7, 9 and 10. Fewer mean that the server lost some. */
const EXPECTED = 301;

const skips = new Map(
  readFileSync(skipList, 'utf8')
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => [line.split(/\s+/)[0], line]),
);
const cases = Object.entries(JSON.parse(readFileSync(index, 'utf8'))[agent] ?? {});
const failed = cases.filter(([, { behavior, behaviorClose }]) => !PASSED.has(behavior) || !PASSED.has(behaviorClose));
const problems = [];
for (const [name, { behavior, behaviorClose }] of failed) {
  if (!skips.delete(name)) problems.push(`case ${name}: ${behavior}, close ${behaviorClose}`);
}
for (const name of skips.keys()) problems.push(`case ${name} is in the skip list and passes`);
if (cases.length !== EXPECTED) problems.push(`${cases.length} cases ran instead of ${EXPECTED}`);
for (const problem of problems) console.error(`autobahn: ${problem}`);
console.error(`autobahn: ${cases.length - failed.length} of ${cases.length} cases pass`);
process.exitCode = problems.length ? 1 : 0;
