// Owns the faults of a contract that can be found before any run: paths that lead outside, patterns and schemas that
// cannot be checked, values at places where a shell would interpret them.

import { patternRefusal } from '../output-pattern.ts';
import { schemaFault } from '../param/json-schema.ts';
import { exposedNames } from './command-names.ts';
import { nameProblem } from './name-pattern.ts';
import type { StepContract } from './step-contract.ts';

/** Everything that is wrong with a contract, one sentence each. */
export function contractProblems({ documents = [], changes = [], command, report }: StepContract): string[] {
  const references = documents.flatMap((document) => document.references ?? []);
  const paths = [...documents.map(({ path }) => path), ...references.map(({ to }) => to), ...changes];
  const patterns = [
    ...references.map(({ pattern }) => pattern),
    ...documents.flatMap(({ ids }) => (ids === undefined ? [] : [ids.pattern])),
  ];
  const schemas = [report, ...documents.map(({ json }) => json)].flatMap((schema) => schema ?? []);
  return [
    ...paths.flatMap((path) => {
      const why = patternRefusal(path);
      return why === undefined ? [] : [`the path "${path}" is invalid: ${why}`];
    }),
    ...patterns.flatMap((pattern) => nameProblem(pattern) ?? []),
    ...schemas.flatMap((schema) => schemaFault(schema) ?? []),
    ...(command === undefined ? [] : exposedNames(command)),
  ];
}
