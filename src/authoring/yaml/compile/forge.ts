// Owns translating forge actions (stages, hooks and messages) to the spec of a graph.

import type * as z from 'zod';
import { omitUndefined } from '../../../base/fields.ts';
import { unreachable } from '../../../base/invariant.ts';
import type { ForgeSpec } from '../../graph/spec.ts';
import type { ACTIONS } from '../schema/action.ts';
import type { YamlNotify } from '../schema/form.ts';
import type { YamlWorkflow } from '../schema/schema.ts';
import { listOf } from './part.ts';

type YamlAction = {
  [A in keyof typeof ACTIONS]: { readonly action: A } & z.infer<z.ZodObject<(typeof ACTIONS)[A]>>;
}[keyof typeof ACTIONS];
type YamlHook = NonNullable<YamlWorkflow['on_complete']>[number];

/** What an action stage does at the forge. */
export function forgeOf(written: YamlAction): ForgeSpec {
  const { action } = written;
  switch (action) {
    case 'merge_pr':
      return {
        action,
        ...omitUndefined({ method: written.method, wait: written.wait, pr: written.pr }),
        delete_branch: written.delete_branch ?? false,
      };
    case 'close_issue':
      return { action, ...omitUndefined({ issue: written.issue }) };
    case 'create_issue':
      return { action, title: written.title, ...omitUndefined({ body: written.body }), labels: listOf(written.labels) };
    case 'label':
      return { action, add: listOf(written.add), remove: listOf(written.remove), ...omitUndefined({ pr: written.pr }) };
    case 'comment':
      return { action, target: written.target, message: written.message, ...omitUndefined({ pr: written.pr }) };
    case 'notify':
      return notifyOf(written);
    default:
      return unreachable(written);
  }
}

/** What a hook does at the forge. */
export function hookOf(hook: YamlHook): ForgeSpec {
  const [name = '', fields] = Object.entries(hook)[0] ?? [];
  if ('notify' in hook) return notifyOf(hook.notify);
  if ('close_issue' in hook) return { action: 'close_issue', issue: hook.close_issue };
  if ('label_issue' in hook) return { action: 'label', add: listOf(hook.label_issue), remove: [] };
  return forgeOf({ ...(fields as object), action: name } as YamlAction);
}

/** A message to a group or person. */
export function notifyOf(notify: YamlNotify): ForgeSpec {
  const { target, message } = typeof notify === 'string' ? { target: notify } : notify;
  return { action: 'notify', target, ...omitUndefined({ message }) };
}
