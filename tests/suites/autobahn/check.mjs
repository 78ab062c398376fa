// Judges the report of the Autobahn test suite: every case must pass, or come to what the skip list allows it, with a reason.
//
// usage: node check.mjs REPORTS/index.json SKIPS.txt AGENT

import { readFileSync } from 'node:fs';

const [index, skipList, agent] = process.argv.slice(2);

/** What a case may come to. NON-STRICT breaks a SHOULD alone, so it needs a reason as well. */
const PASSED = new Set(['OK', 'INFORMATIONAL']);
/** Cases of sections 1 to 7, 9 and 10. Fewer mean that the server lost some. */
const EXPECTED = 301;

const cases = new Map(Object.entries(JSON.parse(readFileSync(index, 'utf8'))[agent] ?? {}));
const problems = [];
const allowed = new Map();
for (const line of readFileSync(skipList, 'utf8').split('\n')) {
  if (!line.trim() || line.startsWith('#')) continue;
  const [name, outcome, ...reason] = line.split(/\s+/);
  if (!cases.has(name)) problems.push(`case ${name} is in the skip list and didn't run`);
  if (reason.length === 0) problems.push(`case ${name} is in the skip list without a reason`);
  allowed.set(name, outcome);
}
let passed = 0;
for (const [name, { behavior, behaviorClose }] of cases) {
  if (PASSED.has(behavior) && PASSED.has(behaviorClose)) passed += 1;
  else if (allowed.get(name) !== behavior || !PASSED.has(behaviorClose)) {
    problems.push(`case ${name}: ${behavior}, close ${behaviorClose}`);
  }
}
if (cases.size !== EXPECTED) problems.push(`${cases.size} cases ran instead of ${EXPECTED}`);
for (const problem of problems) console.error(`autobahn: ${problem}`);
console.error(`autobahn: ${passed} of ${cases.size} cases pass, ${allowed.size} may differ for the reasons in ${skipList}`);
process.exitCode = problems.length ? 1 : 0;
