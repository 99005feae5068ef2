#!/usr/bin/env node
// The command: reads the log, prints the sums. The only place that touches files, output and the exit code.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LineError, parseLog } from './parse.js';
import { GROUPS, hoursText, sumBy } from './sum.js';

const OPTIONS = { by: { type: 'string', default: 'project' }, format: { type: 'string', default: 'text' } };

/** Runs the command and returns its exit code. */
export function main(argv, { env, out, err }) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
    const file = positionals[0] ?? env.TALLY_FILE;
    if (file === undefined) throw new Error('name a log file, or set TALLY_FILE');
    if (!GROUPS.includes(values.by)) throw new Error(`--by takes ${GROUPS.join(' or ')}, not "${values.by}"`);
    const sums = sumBy(parseLog(readFileSync(file, 'utf8')), values.by);
    if (values.format === 'json') out(JSON.stringify(sums));
    else for (const { name, minutes } of sums) out(`${hoursText(minutes).padStart(7)}  ${name}`);
    return 0;
  } catch (error) {
    err(`tally: ${error.message}`);
    return error instanceof LineError ? 1 : 2;
  }
}

if (import.meta.filename === process.argv[1]) {
  process.exitCode = main(process.argv.slice(2), { env: process.env, out: console.log, err: console.error });
}
