// Owns what waits for a person: the question, what is shown with it, the answers, and the digest a decision must name.

import type { Json } from '../base/json.ts';
import { type Definition, type HumanGateModel, membersOf } from '../definition/model.ts';
import { type Activation, type HumanWait, humanWaitOf, type Path, type Ref } from '../kernel/activation.ts';
import { gateDigest, subjectsDigest } from '../kernel/question-digest.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { Readable } from './inspect.ts';

/** A gate that waits for a person. */
export interface OpenGate {
  readonly path: Path;
  readonly step: string;
  readonly gate: HumanGateModel;
  readonly digest: string;
  readonly shown: Json;
  /** What it is about outside the run, where it is about something. */
  readonly subjects?: Json;
  /** Who has chosen what so far, where it takes several people. */
  readonly votes?: readonly { readonly option: string; readonly actor: string }[];
  /** Who chose what the last time, and how often it was put, where people chose differently: those votes are void. */
  readonly split?: { readonly times: number; readonly votes: readonly { readonly option: string; readonly actor: string }[] };
  readonly since: number;
  readonly due?: number;
  /** A decision takes the signature of an enrolled key. */
  readonly signed: boolean;
}

/** The gates of a run that wait for a person, oldest first. */
export async function openGates(core: Readable, run: string): Promise<readonly OpenGate[]> {
  return gatesIn(core, await core.store.load(run));
}

/** The gates that wait in a run as it was loaded: a run that goes on has others a moment later. */
export async function gatesIn(
  core: Readable,
  { state, definition }: { readonly state: RunState; readonly definition: Definition },
): Promise<readonly OpenGate[]> {
  const asking = Object.values(state.live).flatMap((activation) => {
    const wait = humanWaitOf(activation);
    return wait === undefined ? [] : [{ activation, wait }];
  });
  const gates = await Promise.all(asking.map((one) => gateOf(core, one, { state, definition })));
  return gates.sort((a, b) => a.since - b.since);
}

async function gateOf(
  core: Readable,
  { activation, wait }: { readonly activation: Activation; readonly wait: HumanWait },
  { state, definition }: { readonly state: RunState; readonly definition: Definition },
): Promise<OpenGate> {
  const { path, step, openedAt, deadline } = activation;
  const subjects = wait.outside?.seen?.subjects;
  const refs = [wait.shown, wait.gate, subjects].flatMap((ref) => (ref === undefined ? [] : [ref.digest]));
  const texts = await core.store.values(refs);
  const read = (ref: Ref | undefined): unknown => (ref === undefined ? undefined : JSON.parse(texts.get(ref.digest) as string));
  const gate = (read(wait.gate) ?? gateModel(definition, step)) as HumanGateModel;
  return {
    path,
    step,
    gate,
    digest: wait.digest ?? '',
    shown: (read(wait.shown) as Json | undefined) ?? {},
    ...(subjects === undefined ? {} : { subjects: read(subjects) as Json }),
    ...(wait.votes === undefined ? {} : { votes: wait.votes }),
    ...(wait.split === undefined ? {} : { split: wait.split }),
    since: openedAt,
    ...(deadline === undefined ? {} : { due: deadline }),
    signed: state.signed === true || wait.signed === true,
  };
}

/** The question of a step, or of a member of a group, as the definition has it. */
export function gateModel(definition: Definition, step: string): HumanGateModel | undefined {
  const [group, member] = step.split('/');
  const own = definition.steps.find((candidate) => candidate.id === group);
  return (member === undefined ? own : own && membersOf(own).find((candidate) => candidate.id === member))?.gate;
}

/** Whether a question is as its digest says: whoever signs the digest signs what they were shown. */
export function isAsShown({ gate, shown, subjects, digest }: OpenGate): boolean {
  const question = gateDigest(gate, shown);
  return digest === (subjects === undefined ? question : subjectsDigest(question, subjects));
}
