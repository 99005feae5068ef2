// Owns the text about setbacks: the failed checks of a gate, a reviewer's comments, the end of a command's output. The result
// fields of gates, validations and reviews are known here; anything else is shown as JSON.

import { isJsonObject, type Json, jsonText } from '../../base/json.ts';
import type { PastSetback } from '../attempt.ts';
import type { Quotes } from './quotes.ts';

const ITEMS_MAX = 8;

/** Describes a setback: the step, its outcome, and its evidence. */
export function setbackText({ step, outcome, error, output, inParent }: PastSetback, quotes: Quotes): string {
  const where = inParent === true ? ' of the run that started this one' : '';
  const found = evidenceIn(output);
  const evidence = found.length > 0 ? found : error !== undefined ? [error] : output === null ? [] : [jsonText(output)];
  const heading = `Step "${step}"${where} ended with the outcome "${outcome}"${evidence.length === 0 ? '.' : ':'}`;
  return [heading, ...evidence.slice(0, ITEMS_MAX).map((text) => quotes.text(`what "${step}" found`, text, 'end'))].join('\n');
}

/** The failure evidence in a result: the checks of a gate, stages, a verdict with its comments, or members with those. */
function evidenceIn(output: Json): string[] {
  if (!isJsonObject(output)) return Array.isArray(output) ? output.flatMap((member) => (isFailure(member) ? evidenceIn(member) : [])) : [];
  const { failed_checks: checks, stages, verdict, status, feedback, findings, message, error } = output;
  if (Array.isArray(checks)) return checks.map((value) => jsonText(value));
  if (Array.isArray(stages))
    return stages
      .filter(isJsonObject)
      .filter(({ passed }) => passed === false)
      .map(stageText);
  const words = [feedback, message, error, ...(Array.isArray(findings) ? findings : [findings])].flatMap((part) =>
    part === undefined || part === null || part === '' ? [] : [jsonText(part)],
  );
  if (words.length > 0 || verdict === 'reject' || status === 'FAIL') return words.length > 0 ? words : ['rejected without a reason'];
  return Object.entries(output).flatMap(([key, member]) =>
    isFailure(member) ? evidenceIn(member as Json).map((text) => `${key}: ${text}`) : [],
  );
}

/** Whether a member of a group reports a rejection or a failure. */
function isFailure(value: Json | undefined): boolean {
  if (!isJsonObject(value ?? null)) return false;
  const { verdict, status, success, passed, error } = value as { readonly [name: string]: Json };
  return verdict === 'reject' || status === 'FAIL' || success === false || passed === false || typeof error === 'string';
}

function stageText(stage: { readonly [name: string]: Json }): string {
  const { name, exitCode, stderr } = stage;
  const how = exitCode === undefined ? 'did not finish' : `exited with ${jsonText(exitCode)}`;
  return `${jsonText(name ?? 'a stage')} ${how}${typeof stderr === 'string' && stderr !== '' ? `:\n${stderr}` : ''}`;
}
