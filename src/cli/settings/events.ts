// Owns checking `hooks` and `notifications` in the settings, and converting hooks for the server.

import { durationOf, parseDuration } from '../../base/duration.ts';
import { messageOf } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type FreePath, parseExpression } from '../../expr/expression.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';
import { type HookSetting, NOTICE_EVENTS, NOTICE_SHAPES } from '../../server/events/event-settings.ts';
import type { Fault } from './policy.ts';
import { count, isTexts, mapping, must } from './value-checks.ts';

const isText = (value: Json): boolean => typeof value === 'string' && value !== '';
const delay = must((value) => typeof value === 'string' && durationOf(value) !== undefined, 'a duration such as 30s or 5m');

const HOOK = 'a mapping with secret and start or signal, such as { secret: DEPLOY_HOOK, start: deploy }';
const SIGNAL = 'a mapping with run and name, such as { run: "{{ body.run }}", name: deployed }';

const signalFields = mapping(
  SIGNAL,
  {
    run: must(isText, 'the id of a run, as a template'),
    name: must(isText, 'the name of a signal'),
    payload: () => undefined,
  },
  ['run', 'name'],
);

const hookFields = mapping(
  HOOK,
  {
    secret: must(isText, 'the name of a secret under "secrets"'),
    start: must(isText, 'the name of a workflow'),
    params: (value) => must(isJsonObject, 'a mapping')(value) ?? templateFault(value),
    signal: (value) => signalFields(value) ?? templateFault(value),
    when: (value) => (typeof value === 'string' ? readsFault('condition', () => parseExpression(value)) : CONDITION),
    key: (value) => must(isText, 'a template such as "{{ body.repo }}"')(value) ?? templateFault(value),
    debounce: delay,
    rate: mapping('a mapping with max and per, such as { max: 10, per: 1m }', { max: count, per: delay }, ['max', 'per']),
    window: delay,
  },
  ['secret'],
);

/** The first error in a hook. */
export function hookFault(value: Json): string | Fault | undefined {
  const wrong = hookFields(value);
  if (wrong !== undefined || !isJsonObject(value)) return wrong;
  const { start, signal, params } = value;
  if ((start === undefined) === (signal === undefined)) return { path: [], what: `must have either start or signal; it must be ${HOOK}` };
  return params === undefined || start !== undefined ? undefined : { path: ['params'], what: 'is only allowed with start' };
}

const TARGET = 'a mapping with webhook or command, such as { webhook: { secret: SLACK_URL }, shape: slack }';

const targetFields = mapping(TARGET, {
  webhook: (value) => (isJsonObject(value) ? secretUrl(value) : url(value)),
  shape: must((value) => NOTICE_SHAPES.includes(value as never), `one of ${NOTICE_SHAPES.join(', ')}`),
  command: must(isTexts, 'a program and its arguments, such as [notify-send, Pawl]'),
  person: must(isText, 'the name of a person who can log in to the server'),
  events: must(
    (value) => isTexts(value) && (value as readonly Json[]).every((event) => NOTICE_EVENTS.includes(event as never)),
    `a list of ${NOTICE_EVENTS.join(', ')}`,
  ),
  workflows: must(isTexts, 'a list of names of workflows'),
});

const WEBHOOK = 'a URL, or { secret: NAME } for one that is a secret';
const secretUrl = mapping(WEBHOOK, { secret: must(isText, 'the name of a secret') }, ['secret']);
const url = must((value) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value), WEBHOOK);

/** The first error in a target of notifications. */
export function notificationFault(value: Json): string | Fault | undefined {
  const wrong = targetFields(value);
  if (wrong !== undefined || !isJsonObject(value)) return wrong;
  const { webhook, command, shape } = value;
  if ((webhook === undefined) === (command === undefined))
    return { path: [], what: `must have either webhook or command; it must be ${TARGET}` };
  return shape === undefined || webhook !== undefined ? undefined : { path: ['shape'], what: 'is only allowed with webhook' };
}

const CONDITION = 'a condition, such as body.action == "released"';
const ROOTS = ['body', 'headers', 'delivery'];

/** The error of a text that cannot be parsed, or reads anything but the delivery. */
function readsFault(kind: 'template' | 'condition', parse: () => { readonly paths: readonly FreePath[] }): Fault | undefined {
  try {
    const other = parse().paths.find(({ segments: [root] }) => !ROOTS.includes(String(root)));
    return other === undefined ? undefined : { path: [], what: `reads "${String(other.segments[0])}"; only ${ROOTS.join(', ')} exist` };
  } catch (error) {
    return { path: [], what: `is not a ${kind}: ${messageOf(error)}` };
  }
}

function templateFault(value: Json): Fault | undefined {
  return readsFault('template', () => parseTemplateTree(value));
}

/** A hook in the form that the server uses. */
export function hookOf(value: Json): HookSetting {
  const { debounce, rate, window, ...rest } = value as JsonObject & { readonly rate?: { readonly max: number; readonly per: string } };
  const ms = (text: Json | undefined): number | undefined => (text === undefined ? undefined : parseDuration(text as string, 'a hook'));
  const limit = rate === undefined ? undefined : { max: rate.max, perMs: ms(rate.per) as number };
  return { ...rest, ...present({ debounceMs: ms(debounce), windowMs: ms(window), rate: limit }) } as unknown as HookSetting;
}
