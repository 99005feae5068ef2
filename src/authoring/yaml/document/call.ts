// Owns the one spelling of what is done on the forge, as a stage or as a hook.

import { unreachable } from '../../../base/invariant.ts';
import type { YamlPath } from '../position/position.ts';
import type { WrittenStage, WrittenWorkflow } from '../schema/schema.ts';
import { listOf } from './check.ts';
import type { YamlCall, YamlHook } from './document.ts';
import { notifyOf } from './transition.ts';

type WrittenAction = Extract<WrittenStage, { type: 'action' }>;
type WrittenHook = NonNullable<WrittenWorkflow['on_complete']>[number];

/** What an action stage or branch does. */
export function callOf(written: WrittenAction, path: YamlPath): YamlCall {
  switch (written.action) {
    case 'merge_pr':
      return { action: 'merge_pr', method: written.method, deleteBranch: written.delete_branch ?? false, path };
    case 'close_issue':
      return { action: 'close_issue', issue: written.issue, path };
    case 'create_issue':
      return { action: 'create_issue', title: written.title, body: written.body, labels: listOf(written.labels), path };
    case 'label':
      return { action: 'label', add: listOf(written.add), remove: listOf(written.remove), path };
    case 'comment':
      return { action: 'comment', target: written.target, message: written.message, path };
    case 'notify':
      return { action: 'notify', target: written.target, message: written.message, path };
    default:
      return unreachable(written);
  }
}

/** The hooks of a workflow. */
export function hooksOf(written: readonly WrittenHook[] | undefined, path: YamlPath): YamlHook[] {
  return (written ?? []).map((hook, index) => hookOf(hook, [...path, index]));
}

function hookOf(hook: WrittenHook, item: YamlPath): YamlHook {
  const path = [...item, Object.keys(hook)[0] ?? ''];
  if ('comment' in hook) return { action: 'comment', ...hook.comment, path };
  if ('close_issue' in hook) return { action: 'close_issue', issue: hook.close_issue, path };
  if ('label_issue' in hook) return { action: 'label', add: listOf(hook.label_issue), remove: [], path };
  if ('label' in hook) return { action: 'label', add: listOf(hook.label.add), remove: listOf(hook.label.remove), path };
  if ('notify' in hook) return { action: 'notify', ...notifyOf(hook.notify, path) };
  if ('create_issue' in hook) {
    const { title, body, labels } = hook.create_issue;
    return { action: 'create_issue', title, body, labels: listOf(labels), path };
  }
  const { method, delete_branch } = hook.merge_pr;
  return { action: 'merge_pr', method, deleteBranch: delete_branch ?? false, path };
}
