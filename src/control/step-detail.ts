// Owns the details of one step of a run: its definition, and its attempts with claim and evidence, cut to a size that a page
// can show. A value that was cut can be read in full by its digest.

import type { Ref } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import { modelNamed } from '../definition/address.ts';
import { dueTimeOf, waitOf } from '../kernel/activation.ts';
import type { Store, StoredAttempt } from '../store/store.ts';
import { readRunReport } from './run/report.ts';
import type { StepReport } from './schema/run.ts';
import type { AttemptDetail, BoundedValue } from './schema/step.ts';

/** One step with all its attempts. */
interface StepDetail {
  readonly path: string;
  readonly step: string;
  readonly title: string;
  readonly kind: string;
  /** The step as its definition has it; null for a step of a flow. */
  readonly definition: Json;
  readonly attempts: readonly AttemptDetail[];
  readonly nextRetry: number | undefined;
}

const TEXT_MAX = 64 * 1024;
const READ_MAX = 8 * 1024 * 1024;

/** Reads the step at a path, or all visits of a step by its name. */
export async function readStepDetail(store: Store, run: string, name: string): Promise<StepDetail> {
  const [report, rows, { state, definition }] = await Promise.all([
    readRunReport(store, run, () => false),
    store.attempts(run),
    store.load(run),
  ]);
  const found = report.steps.filter(({ path, step }) => path === name || step === name);
  const planned = report.plan.find(({ step }) => step === name);
  const [first] = found.length === 0 && planned !== undefined ? [{ ...planned, path: name }] : found;
  if (first === undefined) {
    const names = report.plan.map(({ step }) => step);
    throw new EngineError('STEP_UNKNOWN', `run ${run} has no step "${name}"${didYouMean(name, names)}; its steps: ${names.join(', ')}`);
  }
  const live = Object.values(state.live).find(({ path, step }) => path === name || step === name);
  return {
    ...{ path: first.path, step: first.step, title: first.title, kind: first.kind },
    definition: (modelNamed(definition, first.step) ?? null) as unknown as Json,
    attempts: await Promise.all(found.map((step) => detailOf(store, step, rows))),
    nextRetry: live !== undefined && waitOf(live)?.kind === 'retry' ? dueTimeOf(live) : undefined,
  };
}

async function detailOf(store: Store, step: StepReport, rows: readonly StoredAttempt[]): Promise<AttemptDetail> {
  const row = rows.findLast(({ path, attempt }) => path === step.path && attempt === step.attempt);
  const [output, claim, evidence] = await Promise.all([row?.output, row?.claim, row?.evidence].map((ref) => bounded(store, ref)));
  return { ...step, output: output ?? null, claim: claim ?? null, evidence: evidence ?? null };
}

/** The text of a value, cut to a maximum length; a huge value is not read at all. */
export async function bounded(store: Pick<Store, 'values'>, ref: Ref | undefined): Promise<BoundedValue | null> {
  if (ref === undefined) return null;
  const { digest, bytes } = ref;
  if (bytes > READ_MAX) return { text: '', bytes, truncated: true, digest };
  const text = (await store.values([digest])).get(digest) ?? '';
  return { text: text.slice(0, TEXT_MAX), bytes, truncated: text.length > TEXT_MAX, digest };
}

/** Every value that a run refers to: its parameters, its output, and the outputs, claims and evidence of its attempts. */
export async function valuesOf(store: Store, run: string): Promise<ReadonlyMap<string, { readonly of: string; readonly bytes: number }>> {
  const [{ state }, rows] = await Promise.all([store.load(run), store.attempts(run)]);
  const all: (readonly [string, Ref | undefined])[] = [
    ['params', state.params],
    ['output', state.output],
    ...rows.flatMap(({ path, attempt, output, claim, evidence }) => [
      [`${path}.${attempt}.output`, output] as const,
      [`${path}.${attempt}.claim`, claim] as const,
      [`${path}.${attempt}.evidence`, evidence] as const,
    ]),
  ];
  return new Map(all.flatMap(([of, ref]) => (ref === undefined ? [] : [[ref.digest, { of, bytes: ref.bytes }] as const])));
}
