// Checks `hooks` and `notifications` in the settings, and converts hooks for the server.

import { parseDuration } from '../../base/duration.ts';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import {
  count,
  durationText,
  type Fault,
  isTexts,
  mapping,
  must,
  oneOf,
  type Shape,
  textOf,
  texts,
  type ValueOf,
  withRule,
} from '../../base/shape.ts';
import { parseExpression } from '../../expr/expression.ts';
import type { FreePath } from '../../expr/free-paths.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';
import { type HookSetting, NOTICE_EVENTS, NOTICE_SHAPES, type NoticeEvent } from '../../server/events/event-settings.ts';

const delay = durationText('a duration such as 30s or 5m');
const anything: Shape<Json> = () => undefined;

const CONDITION = 'a condition, such as body.action == "released"';
const HOOK = 'a mapping with secret and start or signal, such as { secret: DEPLOY_HOOK, start: deploy }';
const SIGNAL = 'a mapping with run and name, such as { run: "{{ body.run }}", name: deployed }';

const signal = mapping(
  { run: textOf('the id of a run, as a template'), name: textOf('the name of a signal'), payload: anything },
  { expected: SIGNAL, required: ['run', 'name'] },
);

const rate = mapping(
  { max: count, per: delay },
  { expected: 'a mapping with max and per, such as { max: 10, per: 1m }', required: ['max', 'per'] },
);

const condition = withRule(
  must<string>((value) => typeof value === 'string', CONDITION),
  (value) => readsFault('condition', () => parseExpression(value)),
);

const hookFields = mapping(
  {
    secret: textOf('the name of a secret under "secrets"'),
    start: textOf('the name of a workflow'),
    params: withRule(must<JsonObject>(isJsonObject, 'a mapping'), templateFault),
    signal: withRule(signal, templateFault),
    when: condition,
    key: withRule(textOf('a template such as "{{ body.repo }}"'), templateFault),
    debounce: delay,
    rate,
    window: delay,
  },
  { expected: HOOK, required: ['secret'] },
);

/** A hook. */
export const hook = withRule(hookFields, ({ start, signal: sent, params }) => {
  if ((start === undefined) === (sent === undefined)) return { path: [], what: `must have either start or signal; it must be ${HOOK}` };
  return params === undefined || start !== undefined ? undefined : { path: ['params'], what: 'is only allowed with start' };
});

const TARGET = 'a mapping with webhook or command, such as { webhook: { secret: SLACK_URL }, shape: slack }';
const WEBHOOK = 'a URL, or { secret: NAME } for one that is a secret';

const secretUrl = mapping({ secret: textOf('the name of a secret') }, { expected: WEBHOOK, required: ['secret'] });
const url = must<string>((value) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value), WEBHOOK);
const webhook: Shape<string | ValueOf<typeof secretUrl>> = (value) => (isJsonObject(value) ? secretUrl(value) : url(value));

const targetFields = mapping(
  {
    webhook,
    shape: oneOf(NOTICE_SHAPES, `one of ${NOTICE_SHAPES.join(', ')}`),
    command: texts('a program and its arguments, such as [notify-send, Pawl]'),
    person: textOf('the name of a person who can log in to the server'),
    events: must<readonly NoticeEvent[]>(
      (value) => isTexts(value) && value.every((event) => NOTICE_EVENTS.some((known) => known === event)),
      `a list of ${NOTICE_EVENTS.join(', ')}`,
    ),
    workflows: texts('a list of names of workflows'),
  },
  { expected: TARGET },
);

/** A target of notifications. */
export const notificationTarget = withRule(targetFields, ({ webhook: address, command, shape }) => {
  if ((address === undefined) === (command === undefined))
    return { path: [], what: `must have either webhook or command; it must be ${TARGET}` };
  return shape === undefined || address !== undefined ? undefined : { path: ['shape'], what: 'is only allowed with webhook' };
});

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
export function hookOf({ debounce, rate: limit, window, ...rest }: ValueOf<typeof hook>): HookSetting {
  const ms = (lasting: string | undefined): number | undefined => (lasting === undefined ? undefined : parseDuration(lasting, 'a hook'));
  const perMs = limit === undefined ? undefined : { max: limit.max, perMs: parseDuration(limit.per, 'a hook') };
  return { ...rest, ...omitUndefined({ debounceMs: ms(debounce), windowMs: ms(window), rate: perMs }) };
}
