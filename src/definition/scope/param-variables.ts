// Owns the variables that programs get the parameters of a run in: `PAWL_PARAM_<NAME>`.

import { type Json, type JsonObject, jsonText } from '../../base/json.ts';

const VALUE_BYTES_MAX = 32_768;
// Systems limit the environment of a program as a whole, too; the StepInput on its standard input has every parameter.
const TOTAL_BYTES_MAX = 262_144;

/** The variable of a parameter: `issue-number` is in `PAWL_PARAM_ISSUE_NUMBER`. */
function paramVariable(name: string): string {
  return `PAWL_PARAM_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** The parameters of a run as variables: texts as they are, other data as JSON. What is null or too large is left out. */
export function paramVariables(params: JsonObject): Record<string, string> {
  const variables: Record<string, string> = {};
  let total = 0;
  for (const [name, value] of Object.entries(params)) {
    const text = value === null ? undefined : variableText(value);
    if (text === undefined) continue;
    total += Buffer.byteLength(text);
    if (total > TOTAL_BYTES_MAX) break;
    variables[paramVariable(name)] = text;
  }
  return variables;
}

/** A value as a variable can hold it, or undefined: the system limits a variable, and NUL ends it. */
export function variableText(value: Json): string | undefined {
  const text = jsonText(value);
  return text.includes('\0') || Buffer.byteLength(text) > VALUE_BYTES_MAX ? undefined : text;
}

/** Parameters that would share a variable, and that variable. */
export function sharedVariables(names: readonly string[]): { readonly variable: string; readonly names: readonly string[] }[] {
  return [...Map.groupBy(names, paramVariable)].flatMap(([variable, same]) => (same.length > 1 ? [{ variable, names: same }] : []));
}
