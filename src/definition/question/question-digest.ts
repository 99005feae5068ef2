// Owns the digest that a decision is bound to: that of a question and of its outside subjects. A signer recomputes it
// from what was shown, without the rest of the kernel.

import { digestJson } from '../../base/digest.ts';
import { type Json, toPlain } from '../../base/json.ts';
import type { ApprovalModel, ApprovalOptionModel } from '../model.ts';

/** The digest of a question: prompt, options with their targets, and the values shown. */
export function approvalDigest(question: ApprovalModel, shown: Json): string {
  const options = question.options.map((option: ApprovalOptionModel) => ({
    label: option.label,
    outcome: option.outcome,
    to: toPlain(option.to ?? null, 'the target'),
    requiresInput: option.requiresInput,
  }));
  return digestJson({ prompt: question.prompt, options, shown, ...(question.signed === undefined ? {} : { signed: question.signed }) });
}

/** The digest of a question with outside subjects, as they were when it was asked. */
export function subjectsDigest(question: string, subjects: Json): string {
  return digestJson({ question, subjects });
}
