// Owns the gate of a review loop in a run, which the engine decides: it reads the reviewers' documents, applies the rules of
// reviews, and stores the review in its result. No flag and no report decides a round.
//
// - A document that was changed after its reviewer reported it is rejected.
// - The items are frozen: the digest of those of round 1 is stored, and a changed file is rejected.

import { digestText } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import { readTextWithin } from '../base/file-within.ts';
import type { Json } from '../base/json.ts';
import { filled } from '../definition/contract/step-contract.ts';
import { type CustomKind, defineStepKind } from '../definition/custom-kind.ts';
import { exhaustedQuestion, gateOutput, judgeDocuments, judgeReport, openReview } from '../definition/review/review-loop.ts';
import { withKindAsSource } from './dispatch-steps.ts';

interface GateStepConfig {
  readonly qrName: string;
  /** The step whose report counts if there are no documents. */
  readonly review: string;
  readonly items?: string;
  readonly verdicts?: string;
}

/** The gate of a review loop: `ok` if it passed, `again` if the work must be fixed and reviewed again, `exhausted` if a person decides. */
export const skillGate: CustomKind<GateStepConfig> = withKindAsSource(
  defineStepKind({
    kind: 'skill-gate',
    outcomes: ['again', 'exhausted'],
    recovery: 'rerun',
    parse: (config) => config as GateStepConfig,
    run({ config, ctx, cwd, reviewed = {} }) {
      const { qrName, review, items, verdicts } = config;
      const before = openReview(ctx.checkpoint.results[ctx.stepId]);
      const judged =
        items === undefined || verdicts === undefined
          ? judgeReport(qrName, before, ctx.checkpoint.results[review] ?? null)
          : judgeDocuments(qrName, before, { items: document(items), verdicts: document(verdicts) });
      if ('faults' in judged) throw new EngineError('POSTCONDITION_FAILED', `${qrName}: ${judged.faults.join('; ')}`);
      const { status } = judged.value;
      return { outcome: status === 'passed' ? 'ok' : status, output: gateOutput(judged.value) };

      function document(path: string) {
        const file = filled(path, ctx.params);
        const text = readTextWithin(cwd, file);
        const known = reviewed[file];
        if (known !== undefined && known !== digestText(text ?? ''))
          throw new EngineError(
            'POSTCONDITION_FAILED',
            `${qrName}: ${file} was changed after its reviewer reported it, so it cannot decide the round; restore the reported version and retry, or have it reviewed again`,
          );
        return { path: file, text };
      }
    },
  }),
);

/** The question to a person when the rounds of a review are used up. */
export function exhaustedPrompt(qrName: string, result: Json | undefined, options: Readonly<Record<string, string>>): string {
  const { message = `${qrName} has used up its rounds`, findings, followUps } = (result ?? {}) as { readonly [name: string]: Json };
  const lines = (list: Json | undefined): string[] => (Array.isArray(list) ? list.map(String) : []);
  return exhaustedQuestion({ message: String(message), blocking: lines(findings), followUps: lines(followUps), options });
}
