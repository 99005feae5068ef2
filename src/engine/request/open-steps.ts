// Reads handed-out work and the questions of its workers. It needs a store but no engine, so that commands that only read
// do not load one.

import { createHmac } from 'node:crypto';
import type { AgentQuestion } from '../../agents/driver.ts';
import { omitUndefined } from '../../base/fields.ts';
import { type Path, waitOf } from '../../kernel/activation.ts';
import type { Handover, StoredHandover } from '../../steps/worker/handover.ts';
import type { Store } from '../../store/store.ts';
import { readValues } from '../values.ts';

/** Handed-out work that waits for a report. */
export interface OpenStep extends Handover {
  readonly run: string;
  readonly path: Path;
  readonly step: string;
  readonly attempt: number;
  readonly token: string;
  /** The member of a fan-out, if it is one. */
  readonly item?: string;
  readonly due?: number;
}

/** The source of handed-out work: a store and the token key, but no engine. */
export interface OpenStepReader {
  readonly store: Store;
  readonly parts: { readonly tokenKey: () => string | Uint8Array };
}

/** Returns the token of an attempt, always the same one. */
export function tokenOf(core: OpenStepReader, attempt: { readonly run: string; readonly path: Path; readonly attempt: number }): string {
  const hmac = createHmac('sha256', core.parts.tokenKey());
  return hmac.update(`${attempt.run}\n${attempt.path}\n${attempt.attempt}`).digest('base64url').slice(0, TOKEN_LENGTH);
}

const TOKEN_LENGTH = 22;

/** Returns the work of a run that waits to be reported, in the order in which it was handed out. */
export async function openStepsOf(core: OpenStepReader, run: string): Promise<readonly OpenStep[]> {
  const { state } = await core.store.load(run);
  const waiting = Object.values(state.live).flatMap((activation) => {
    const wait = waitOf(activation);
    return wait?.kind === 'report' ? [{ ...activation, handover: wait.handover }] : [];
  });
  const read = await readValues(
    core.store,
    waiting.map(({ handover }) => handover),
  );
  waiting.sort((a, b) => a.openedAt - b.openedAt || (a.member?.index ?? 0) - (b.member?.index ?? 0));
  return waiting.map((activation) => {
    const { path, step, attempt, member, deadline } = activation;
    const { state: _, ...handover } = read(activation.handover) as unknown as StoredHandover;
    return {
      ...handover,
      run,
      path,
      step,
      attempt,
      token: tokenOf(core, { run, path, attempt }),
      ...omitUndefined({ item: member?.key, due: deadline }),
    };
  });
}

/** Questions of a worker that wait for a person. */
export interface OpenQuestions {
  readonly run: string;
  readonly path: Path;
  readonly step: string;
  readonly attempt: number;
  readonly questions: readonly AgentQuestion[];
  /** The digest of the questions, which proves what a person has seen. */
  readonly digest: string;
  readonly since: number;
  /** True if an answer must be signed with an enrolled key. */
  readonly signed: boolean;
}

/** Returns the questions of a run's workers that wait for a person, oldest first. */
export async function questionsOf(core: Pick<OpenStepReader, 'store'>, run: string): Promise<readonly OpenQuestions[]> {
  const { state } = await core.store.load(run);
  const waiting = Object.values(state.live).flatMap((activation) => {
    const wait = waitOf(activation);
    return wait?.kind === 'answer' ? [{ ...activation, asked: wait.questions }] : [];
  });
  const read = await readValues(
    core.store,
    waiting.map(({ asked }) => asked),
  );
  return waiting.map(({ path, step, attempt, asked, openedAt }) => ({
    run,
    path,
    step,
    attempt,
    questions: read(asked) as unknown as readonly AgentQuestion[],
    digest: asked.digest,
    since: openedAt,
    signed: state.signed === true,
  }));
}
