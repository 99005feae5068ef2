// Owns the steps that stages become, with what every one of them has.

import type { Json, JsonObject } from '../../../base/json.ts';
import { type StepFrame, type StepModel, type StepWork, templatedPart } from '../../../definition/model.ts';
import { parseTemplateTree } from '../../../expr/template-tree.ts';

/** The plain step that others are made from: it merges nothing, so that results stay among the outputs. */
export function plainStep(id: string, work: StepWork, frame: Partial<StepFrame> & Pick<StepFrame, 'next'>): StepModel {
  return {
    id,
    title: id,
    actions: [],
    args: {},
    preconditions: [],
    postconditions: [],
    retry: { max: 0, on: ['error'] },
    contractRetries: 1,
    recovery: 'ask',
    slots: [],
    merges: false,
    ...(work.kind !== 'webhook' && hasTemplates(work) ? { templates: true } : {}),
    ...frame,
    ...work,
  };
}

function hasTemplates(work: StepWork): boolean {
  const texts = [templatedPart(work), work.kind === 'human' ? work.gate.prompt : ''];
  // Most steps have none, and reading what has no braces takes longer than looking for them.
  return JSON.stringify(texts).includes('{{') && parseTemplateTree(texts).hasHoles;
}

/** The fields that are there, without those that were left out. */
export function given(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** An expression without the braces that may be around it, so that it is not taken for a template and filled in too early. */
export function bareExpression(source: string): string {
  const text = source.trim();
  return text.length >= 4 && text.startsWith('{{') && text.endsWith('}}') ? text.slice(2, -2).trim() : text;
}
