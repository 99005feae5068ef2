// Owns the answers to an agent's permission requests, based on the role's permissions and the kind and name of the tool
// call. It allows a call only once: "always" would also allow later calls, which were not checked.
//
// - Files outside the workspace are never changed, whatever the role's permissions.
// - An agent does not request permission for calls that its own settings allow. Such a call can no longer be denied; if the
//   role does not permit it, the attempt fails.

import type { PermissionOptionKind } from '@agentclientprotocol/sdk';
import { omitUndefined } from '../../base/fields.ts';
import { isInsideFolder } from '../../base/inside-folder.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { type AgentPermissions, type AgentRefusal, type ToolAction, WORK_IN_PLACE } from '../driver.ts';
import { listAt, textAt, valueAt } from '../json-message.ts';

/** A tool call, as far as the agent has described it. */
export interface AcpToolCall {
  readonly name: string;
  /** Other names that permissions may use: its title, and its name with the command that it runs. */
  readonly aliases: readonly string[];
  readonly action: ToolAction;
  /** The files that it uses, as far as the agent reported them. */
  readonly paths: readonly string[];
}

/** A role's permissions and its workspace. */
export interface AcpGrant {
  readonly permissions: AgentPermissions | undefined;
  readonly cwd: string;
}

const TOOL_ACTIONS: ReadonlySet<string> = new Set(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch']);

/** Reads a tool call from a message of the agent. */
export function toolCallOf(message: JsonObject): AcpToolCall {
  const title = textAt(message, 'title');
  // The `name` field is new in the protocol; older agents send it in `_meta`.
  const name = textAt(message, 'name') ?? textAt(message, '_meta', 'claudeCode', 'toolName') ?? title ?? 'an unnamed tool';
  const command = textAt(message, 'rawInput', 'command');
  const kind = textAt(message, 'kind') ?? 'other';
  return {
    name,
    aliases: [title ?? [], command === undefined ? [] : `${name}(${command})`].flat(),
    action: TOOL_ACTIONS.has(kind) ? (kind as ToolAction) : 'other',
    paths: listAt(message, 'locations').flatMap((location) => textAt(location, 'path') ?? []),
  };
}

const CHANGES: ReadonlySet<ToolAction> = new Set(['edit', 'delete', 'move']);
const EFFECTS: ReadonlySet<ToolAction> = new Set([...CHANGES, 'execute', 'fetch']);

/** Returns why a tool call is denied, or undefined if it is allowed. */
function refusalOf(call: AcpToolCall, { permissions = WORK_IN_PLACE, cwd }: AcpGrant): AgentRefusal | undefined {
  const names = [call.name, ...call.aliases];
  const refuse = (why: string): AgentRefusal => ({ tool: call.name, action: call.action, why });
  if (permissions.deny?.some((name) => names.includes(name)) === true) return refuse('the role does not permit this tool');
  const outside = CHANGES.has(call.action) ? call.paths.find((path) => !isInsideFolder(cwd, path)) : undefined;
  if (outside !== undefined) return refuse(`"${outside}" is outside the workspace, and the role must not change it`);
  if (permissions.tools?.some((name) => names.includes(name)) === true || permissions.allow.includes(call.action)) return undefined;
  return refuse(`"${call.action}" is not among the role's permissions`);
}

/** Returns why a tool call made without a request is forbidden; undefined if it is permitted or had no effect. */
export function violationOf(call: AcpToolCall, grant: AcpGrant): AgentRefusal | undefined {
  return EFFECTS.has(call.action) ? refusalOf(call, grant) : undefined;
}

/** The answer to a permission request. */
interface AcpPermission {
  readonly reply: JsonObject;
  readonly refusal?: AgentRefusal;
}

/** Answers a permission request. */
export function permissionFor(call: AcpToolCall, options: Json | undefined, grant: AcpGrant): AcpPermission {
  const refusal = refusalOf(call, grant) ?? onceRefusal(call, options);
  const option = optionOf(options, refusal === undefined ? 'allow_once' : 'reject_once');
  const outcome = option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option };
  return { reply: { outcome }, ...omitUndefined({ refusal }) };
}

function onceRefusal(call: AcpToolCall, options: Json | undefined): AgentRefusal | undefined {
  if (optionOf(options, 'allow_once') !== undefined) return undefined;
  return { tool: call.name, action: call.action, why: 'the agent did not offer to allow it only once' };
}

function optionOf(options: Json | undefined, kind: PermissionOptionKind): string | undefined {
  const option = listAt(options).find((offered) => valueAt(offered, 'kind') === kind);
  return textAt(option, 'optionId');
}
