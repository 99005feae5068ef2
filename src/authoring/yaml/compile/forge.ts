// Translates forge actions (stages, hooks and messages) to the spec of a graph.

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

/** The forge action of an action stage. */
export function forgeOf(stage: YamlAction): ForgeSpec {
  const { action } = stage;
  switch (action) {
    case 'merge_pr':
      return {
        action,
        ...omitUndefined({ method: stage.method, wait: stage.wait, pr: stage.pr }),
        delete_branch: stage.delete_branch ?? false,
      };
    case 'close_issue':
      return { action, ...omitUndefined({ issue: stage.issue }) };
    case 'create_issue':
      return { action, title: stage.title, ...omitUndefined({ body: stage.body }), labels: listOf(stage.labels) };
    case 'label':
      return { action, add: listOf(stage.add), remove: listOf(stage.remove), ...omitUndefined({ pr: stage.pr }) };
    case 'comment':
      return { action, target: stage.target, message: stage.message, ...omitUndefined({ pr: stage.pr }) };
    case 'notify':
      return notifyOf(stage);
    default:
      return unreachable(stage);
  }
}

/** The forge action of a hook. */
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
