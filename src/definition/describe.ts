// Owns the graph as data for drawing and analysis, and its Mermaid text. With a run's state it has the progress of each
// node and how often each arrow was taken.

import { omitUndefined } from '../base/fields.ts';
import { transitionsOf } from './analysis.ts';
import { type Definition, entryOf, membersOf, type StepKind, type StepModel, type Target } from './model.ts';

/** The progress of a run at a step. */
export type NodeState = 'done' | 'current' | 'failed' | 'skipped' | 'ahead';

/** A step as a node of a drawing. */
export interface GraphNode {
  readonly id: string;
  readonly title: string;
  readonly kind: StepKind;
  readonly isEntry: boolean;
  /** True if at least one transition from it ends the run. */
  readonly isTerminal: boolean;
  readonly asksPerson: boolean;
  readonly members: readonly { readonly id: string; readonly title: string; readonly kind: StepKind }[];
  /** For a run: its progress here, and the number of visits. */
  readonly state?: NodeState;
  readonly visits?: number;
}

/** A transition as an arrow of a drawing; `to` is a step id or an end. */
export interface GraphArrow {
  readonly from: string;
  readonly to: string;
  readonly toEnd: boolean;
  /** The outcomes that lead here, or the label of a person's option. */
  readonly on: readonly string[];
  readonly via: 'edge' | 'bound' | 'option';
  /** The expression that must hold, written as `not (…)` for the other branch. */
  readonly condition?: string;
  readonly max?: number;
  /** True if it leads to this step or to an earlier one. */
  readonly isBack: boolean;
  /** For a run: how often it was taken. */
  readonly taken?: number;
}

/** The graph of a definition as data. */
export interface GraphDescription {
  readonly name: string;
  readonly title: string;
  readonly nodes: readonly GraphNode[];
  readonly arrows: readonly GraphArrow[];
}

/** Returns the nodes and arrows of a definition. Outcomes with the same target share one arrow. */
export function describeGraph(definition: Definition): GraphDescription {
  const positions = new Map(definition.steps.map((step, index) => [step.id, index]));
  return {
    name: definition.name,
    title: definition.title,
    nodes: definition.steps.map((step) => nodeOf(step, entryOf(definition))),
    arrows: definition.steps.flatMap((step) => arrowsOf(step, positions)),
  };
}

function nodeOf(step: StepModel, entry: string | undefined): GraphNode {
  return {
    id: step.id,
    title: step.title,
    kind: step.kind === 'workflow' && step.review !== undefined ? 'review' : step.kind,
    isEntry: step.id === entry,
    isTerminal: transitionsOf(step).some(({ to }) => 'end' in to && to.end !== 'escalate'),
    asksPerson: step.question !== undefined,
    members: membersOf(step).map(({ id, title, kind }) => ({ id, title, kind })),
  };
}

function arrowsOf(step: StepModel, positions: ReadonlyMap<string, number>): GraphArrow[] {
  const arrows = new Map<string, GraphArrow>();
  for (const { from, to, on, via, condition, max } of transitionsOf(step)) {
    const source = condition === undefined ? undefined : condition.is ? condition.source : `not (${condition.source})`;
    const key = JSON.stringify([to, via, source, max, via === 'option' ? on : '']);
    const known = arrows.get(key);
    arrows.set(key, {
      from,
      to: targetName(to),
      toEnd: 'end' in to,
      on: [...(known?.on ?? []), on],
      via,
      ...omitUndefined({ condition: source, max }),
      isBack: 'step' in to && (positions.get(to.step) ?? Number.POSITIVE_INFINITY) <= (positions.get(from) as number),
    });
  }
  return [...arrows.values()];
}

/** The id of the step that a transition leads to, or the name of an end. */
export function targetName(target: Target): string {
  return 'step' in target ? target.step : target.end;
}

/** Returns the text of a node: its title, its members, and the number of visits. */
export function nodeText({ title, kind, members, visits = 0 }: GraphNode): string {
  const text = members.length === 0 ? title : `${title} (${kind}: ${members.map((member) => member.title).join(', ')})`;
  return visits > 1 ? `${text} \u00d7${visits}` : text;
}

/** Returns the text of an arrow: its outcomes, its condition, its bound, and how often it was taken. */
export function arrowText({ on, via, condition, max, taken = 0 }: GraphArrow): string {
  const label = [
    on.join(', '),
    condition,
    max === undefined ? undefined : `at most ${max}`,
    via === 'bound' ? 'used up' : undefined,
    taken > 1 ? `\u00d7${taken}` : undefined,
  ];
  return label.filter((part) => part !== undefined && part !== '').join('; ');
}

/** Returns the graph as a Mermaid flowchart. */
export function toMermaid(definition: Definition): string {
  return drawMermaid(describeGraph(definition));
}

/** Returns Mermaid text for graph data, with the state of a run if it has one. */
export function drawMermaid({ nodes, arrows }: GraphDescription): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `s${index}`]));
  const ends = [...new Set(arrows.filter(({ toEnd }) => toEnd).map(({ to }) => to))];
  const lines = [
    'flowchart TD',
    ...nodes.map((node) => `  ${names.get(node.id)}${shapeOf(node)}`),
    ...ends.map((end) => `  end_${end}(["${end}"])`),
    ...arrows.map((arrow) => arrowLine(arrow, names)),
    ...stateLines(nodes, arrows),
  ];
  return `${lines.join('\n')}\n`;
}

function shapeOf(node: GraphNode): string {
  const text = quoted(nodeText(node));
  return node.asksPerson ? `{"${text}"}` : `["${text}"]`;
}

function arrowLine(arrow: GraphArrow, names: ReadonlyMap<string, string>): string {
  const target = arrow.toEnd ? `end_${arrow.to}` : names.get(arrow.to);
  const text = arrowText(arrow);
  const label = text === '' ? '' : `|"${quoted(text)}"|`;
  return `  ${names.get(arrow.from)} ${arrow.via === 'bound' ? '-.->' : '-->'}${label} ${target}`;
}

const STATE_STYLES: Readonly<Record<NodeState, string>> = {
  done: 'stroke:#1a7f37,stroke-width:2px',
  current: 'stroke:#bf8700,stroke-width:4px',
  failed: 'stroke:#cf222e,stroke-width:3px',
  skipped: 'stroke-dasharray:4 3',
  ahead: 'opacity:0.6',
};

function stateLines(nodes: readonly GraphNode[], arrows: readonly GraphArrow[]): string[] {
  const used = [...new Set(nodes.flatMap(({ state }) => (state === undefined ? [] : [state])))];
  const taken = arrows.flatMap((arrow, index) => ((arrow.taken ?? 0) > 0 ? [index] : []));
  return [
    ...used.map((state) => `  classDef ${state} ${STATE_STYLES[state]}`),
    ...nodes.flatMap(({ state }, index) => (state === undefined ? [] : [`  class s${index} ${state}`])),
    ...(taken.length === 0 ? [] : [`  linkStyle ${taken.join(',')} stroke-width:3px`]),
  ];
}

/** Mermaid reads `#name;` inside quotes; characters that could end the quotes or start markup are escaped that way. */
function quoted(text: string): string {
  return text.replace(/[^\p{L}\p{N} _.,:;()'=+*/?!&|\u00d7-]/gu, (character) => `#${character.codePointAt(0)};`);
}
