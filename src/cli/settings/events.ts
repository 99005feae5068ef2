// Owns checking `hooks` and `notifications` in the settings, and converting hooks for the server.

import { durationOf, parseDuration } from '../../base/duration.ts';
import { messageOf } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type FreePath, parseExpression } from '../../expr/expression.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';
import { type HookSetting, NOTICE_EVENTS, NOTICE_SHAPES } from '../../server/events/event-settings.ts';
import type { Fault } from './policy.ts';
import { isTexts } from './value-checks.ts';

type Path = Fault['path'];

const HOOK_FIELDS = ['secret', 'start', 'params', 'signal', 'when', 'key', 'debounce', 'rate', 'window'];
const HOOK = 'a mapping with secret and start or signal, such as { secret: DEPLOY_HOOK, start: deploy }';

/** The first error in a hook. */
export function hookFault(value: Json): string | Fault | undefined {
  if (!isJsonObject(value)) return HOOK;
  const { secret, start, signal, params, when, key, debounce, rate, window } = value;
  return (
    unknownField(value, HOOK_FIELDS, []) ??
    textFault(secret, ['secret'], 'the name of a secret under "secrets"') ??
    ((start === undefined) === (signal === undefined)
      ? { path: [], what: `must have either start or signal; it must be ${HOOK}` }
      : undefined) ??
    (start === undefined ? undefined : textFault(start, ['start'], 'the name of a workflow')) ??
    (params === undefined || (isJsonObject(params) && start !== undefined)
      ? templateFault(params, ['params'])
      : { path: ['params'], what: 'must be a mapping, beside start' }) ??
    (signal === undefined ? undefined : signalFault(signal)) ??
    (when === undefined ? undefined : conditionFault(when)) ??
    (key === undefined ? undefined : (textFault(key, ['key'], 'a template such as "{{ body.repo }}"') ?? templateFault(key, ['key']))) ??
    durationFault(debounce, ['debounce']) ??
    durationFault(window, ['window']) ??
    (rate === undefined ? undefined : rateFault(rate))
  );
}

function signalFault(signal: Json): Fault | undefined {
  if (!isJsonObject(signal))
    return { path: ['signal'], what: 'must be a mapping with run and name, such as { run: "{{ body.run }}", name: deployed }' };
  return (
    unknownField(signal, ['run', 'name', 'payload'], ['signal']) ??
    textFault(signal.run, ['signal', 'run'], 'the id of a run, as a template') ??
    textFault(signal.name, ['signal', 'name'], 'the name of a signal') ??
    templateFault(signal, ['signal'])
  );
}

function rateFault(rate: Json): Fault | undefined {
  const what = 'must be a mapping with max and per, such as { max: 10, per: 1m }';
  if (!isJsonObject(rate) || !Number.isSafeInteger(rate.max) || Number(rate.max) < 1 || rate.per === undefined)
    return { path: ['rate'], what };
  return unknownField(rate, ['max', 'per'], ['rate']) ?? durationFault(rate.per, ['rate', 'per']);
}

const TARGET = 'a mapping with webhook or command, such as { webhook: { secret: SLACK_URL }, shape: slack }';

/** The first error in a target of notifications. */
export function notificationFault(value: Json): string | Fault | undefined {
  if (!isJsonObject(value)) return TARGET;
  const { webhook, shape, command, person, events, workflows } = value;
  return (
    unknownField(value, ['webhook', 'shape', 'command', 'person', 'events', 'workflows'], []) ??
    ((webhook === undefined) === (command === undefined)
      ? { path: [], what: `must have either webhook or command; it must be ${TARGET}` }
      : undefined) ??
    (webhook === undefined ? undefined : webhookFault(webhook)) ??
    (command === undefined || isTexts(command)
      ? undefined
      : { path: ['command'], what: 'must be a program and its arguments, such as [notify-send, Pawl]' }) ??
    (shape === undefined || (webhook !== undefined && NOTICE_SHAPES.includes(shape as never))
      ? undefined
      : { path: ['shape'], what: `must be one of ${NOTICE_SHAPES.join(', ')}, beside webhook` }) ??
    (person === undefined ? undefined : textFault(person, ['person'], 'the name of a person who can log in to the server')) ??
    (events === undefined || (isTexts(events) && (events as Json[]).every((event) => NOTICE_EVENTS.includes(event as never)))
      ? undefined
      : { path: ['events'], what: `must be a list of ${NOTICE_EVENTS.join(', ')}` }) ??
    (workflows === undefined || isTexts(workflows) ? undefined : { path: ['workflows'], what: 'must be a list of names of workflows' })
  );
}

function webhookFault(webhook: Json): Fault | undefined {
  if (isJsonObject(webhook))
    return unknownField(webhook, ['secret'], ['webhook']) ?? textFault(webhook.secret, ['webhook', 'secret'], 'the name of a secret');
  const isUrl = typeof webhook === 'string' && /^https?:\/\//.test(webhook) && URL.canParse(webhook);
  return isUrl ? undefined : { path: ['webhook'], what: 'must be a URL, or { secret: NAME } for one that is a secret' };
}

function unknownField(value: JsonObject, known: readonly string[], path: Path): Fault | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return undefined;
  return { path: [...path, unknown], what: `is unknown${didYouMean(unknown, known)}; known settings: ${known.join(', ')}` };
}

function textFault(value: Json | undefined, path: Path, what: string): Fault | undefined {
  return typeof value === 'string' && value !== '' ? undefined : { path, what: `must be ${what}` };
}

const ROOTS = ['body', 'headers', 'delivery'];

/** The error of a text that cannot be parsed, or reads anything but the delivery. */
function readsFault(kind: 'template' | 'condition', path: Path, parse: () => { readonly paths: readonly FreePath[] }): Fault | undefined {
  try {
    const other = parse().paths.find(({ segments: [root] }) => !ROOTS.includes(String(root)));
    return other === undefined ? undefined : { path, what: `reads "${String(other.segments[0])}"; only ${ROOTS.join(', ')} exist` };
  } catch (error) {
    return { path, what: `is not a ${kind}: ${messageOf(error)}` };
  }
}

function templateFault(value: Json | undefined, path: Path): Fault | undefined {
  return value === undefined ? undefined : readsFault('template', path, () => parseTemplateTree(value));
}

function conditionFault(when: Json): Fault | undefined {
  if (typeof when !== 'string') return { path: ['when'], what: 'must be a condition, such as body.action == "released"' };
  return readsFault('condition', ['when'], () => parseExpression(when));
}

function durationFault(value: Json | undefined, path: Path): Fault | undefined {
  if (value === undefined || (typeof value === 'string' && durationOf(value) !== undefined)) return undefined;
  return { path, what: 'must be a duration such as 30s or 5m' };
}

/** A hook in the form that the server uses. */
export function hookOf(value: Json): HookSetting {
  const { debounce, rate, window, ...rest } = value as JsonObject & { readonly rate?: { readonly max: number; readonly per: string } };
  const ms = (text: Json | undefined): number | undefined => (text === undefined ? undefined : parseDuration(text as string, 'a hook'));
  const limit = rate === undefined ? undefined : { max: rate.max, perMs: ms(rate.per) as number };
  return { ...rest, ...present({ debounceMs: ms(debounce), windowMs: ms(window), rate: limit }) } as unknown as HookSetting;
}
