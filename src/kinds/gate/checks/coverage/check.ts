// Combines the check `coverage` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { JsonObject } from '../../../../base/json.ts';
import type { CheckOf } from '../../../../definition/check.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { coverageCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Reads a coverage report.',
  fields: ({ z, noted, choice, literal, texts }) => ({
    // A bare number up to 1 is rejected: 0.8 and 1 could mean either 80 or 0.8 percent.
    minimum: noted(
      z.union([z.string().regex(/^(?!0+(?:\.0+)?\s*%)(?:100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)\s*%$/), z.number().gt(1).max(100)]),
      {
        description: 'The minimum coverage: `80%` and `80` are the same.',
        examples: ['80%'],
        role: 'literal',
        accepts: 'a percentage such as 80% or 80; a bare number is above 1 and at most 100',
      },
    ),
    metric: choice('The metric. Default: line.', ['line', 'branch', 'function']).optional(),
    report: literal(
      'The report, as lcov, Cobertura or coverage.py XML; it must be newer than the gate. Default: the usual places of coverage tools.',
      'coverage/lcov.info',
    ).optional(),
    paths: texts('The files to count. Default: all files in the report.', ['src/**']).optional(),
  }),
  toSpec({ minimum, metric = 'line', report, paths = [] }) {
    const percent = Number.parseFloat(String(minimum));
    return { minimum: percent > 1 ? percent : `${percent}%`, metric, paths, ...omitUndefined({ report }) };
  },
});

/** The fields of the check in a file, in addition to those that all checks have. */
function write({ minimum }: CheckOf<'coverage'>): JsonObject {
  return typeof minimum === 'number' ? { minimum: `${minimum}%` } : {};
}

/** The registry entry of the check `coverage`. */
export const coverageCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
