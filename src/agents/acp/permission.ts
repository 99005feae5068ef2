// Owns the answers to an agent's requests for permission: from what the role may do, by the kind of the tool call and by
// the tool's name, for this once. "Always" is never said, since it would outlive what was looked at.
//
// P1. Files outside of the workspace are not changed, whatever the role may do in it.
// P2. An agent asks for what its own settings do not let it do anyway. What it did without asking cannot be refused any
//     more; where the role may not do it, the attempt does not count.

import type { PermissionOptionKind } from '@agentclientprotocol/sdk';
import type { Json, JsonObject } from '../../base/json.ts';
import { type AgentDeed, type AgentPermissions, type AgentRefusal, WORK_IN_PLACE } from '../driver.ts';
import { isInWorkspace } from '../workspace-path.ts';
import { textAt, valueAt } from './connection.ts';

/** A tool call, as far as the agent has told it. */
export interface AcpToolCall {
  readonly name: string;
  /** Other ways in which permissions may name it: its title, and its name with the command that it runs. */
  readonly alsoCalled: readonly string[];
  readonly deed: AgentDeed;
  /** The files that it is about, as far as the agent told. */
  readonly paths: readonly string[];
}

/** What a role may do, and where. */
export interface AcpLeave {
  readonly permissions: AgentPermissions | undefined;
  readonly cwd: string;
}

const DEEDS: ReadonlySet<string> = new Set(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch']);

/** The tool call that an agent told of. */
export function toolCallOf(told: JsonObject): AcpToolCall {
  const title = textAt(told, 'title');
  // The name of a tool is new in the protocol; agents that came before it told theirs beside it.
  const name = textAt(told, 'name') ?? textAt(told, '_meta', 'claudeCode', 'toolName') ?? title ?? 'a tool without a name';
  const command = textAt(told, 'rawInput', 'command');
  const kind = textAt(told, 'kind') ?? 'other';
  return {
    name,
    alsoCalled: [...(title === undefined ? [] : [title]), ...(command === undefined ? [] : [`${name}(${command})`])],
    deed: DEEDS.has(kind) ? (kind as AgentDeed) : 'other',
    paths: pathsOf(valueAt(told, 'locations')),
  };
}

function pathsOf(locations: Json | undefined): string[] {
  return Array.isArray(locations) ? locations.flatMap((location: Json) => textAt(location, 'path') ?? []) : [];
}

const CHANGES: ReadonlySet<AgentDeed> = new Set(['edit', 'delete', 'move']);
const EFFECTS: ReadonlySet<AgentDeed> = new Set([...CHANGES, 'execute', 'fetch']);

/** Why a tool call is refused; undefined when it is let. */
function refusalOf(call: AcpToolCall, { permissions = WORK_IN_PLACE, cwd }: AcpLeave): AgentRefusal | undefined {
  const names = [call.name, ...call.alsoCalled];
  const refuse = (why: string): AgentRefusal => ({ tool: call.name, deed: call.deed, why });
  if (permissions.not?.some((name) => names.includes(name)) === true) return refuse('the role may not use this tool');
  const outside = CHANGES.has(call.deed) ? call.paths.find((path) => !isInWorkspace(cwd, path)) : undefined;
  if (outside !== undefined) return refuse(`the role may not change "${outside}", which is outside the workspace`);
  if (permissions.tools?.some((name) => names.includes(name)) === true || permissions.deeds.includes(call.deed)) return undefined;
  return refuse(`the role may not do this: "${call.deed}" is not among its permissions`);
}

/** What is wrong with a tool call that was made without asking; undefined when the role may do it, or nothing came of it. */
export function trespassOf(call: AcpToolCall, leave: AcpLeave): AgentRefusal | undefined {
  return EFFECTS.has(call.deed) ? refusalOf(call, leave) : undefined;
}

/** The answer to a request for permission. */
export interface AcpPermission {
  readonly reply: JsonObject;
  readonly refusal?: AgentRefusal;
}

/** Answers a request for permission. */
export function permissionFor(call: AcpToolCall, options: Json | undefined, leave: AcpLeave): AcpPermission {
  const refusal = refusalOf(call, leave) ?? onceRefusal(call, options);
  const option = optionOf(options, refusal === undefined ? 'allow_once' : 'reject_once');
  const outcome = option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option };
  return { reply: { outcome }, ...(refusal === undefined ? {} : { refusal }) };
}

function onceRefusal(call: AcpToolCall, options: Json | undefined): AgentRefusal | undefined {
  if (optionOf(options, 'allow_once') !== undefined) return undefined;
  return { tool: call.name, deed: call.deed, why: 'the agent asked for more than this once' };
}

function optionOf(options: Json | undefined, kind: PermissionOptionKind): string | undefined {
  if (!Array.isArray(options)) return undefined;
  return textAt(
    options.find((option: Json) => valueAt(option, 'kind') === kind),
    'optionId',
  );
}
