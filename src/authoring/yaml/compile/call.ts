// Owns how something that is done on the forge stands in a step: its name, and what it is done with.

import { present } from '../../../base/fields.ts';
import type { WorkConfigs } from '../../../definition/model.ts';
import type { YamlCall } from '../document/document.ts';

type Call = YamlCall extends infer Each ? (Each extends YamlCall ? Omit<Each, 'path'> : never) : never;

/** The configuration of an action step. */
export function callConfig(call: Call): WorkConfigs['action'] {
  switch (call.action) {
    case 'merge_pr':
      return present({ action: call.action, method: call.method, delete_branch: call.deleteBranch });
    case 'close_issue':
      return present({ action: call.action, issue: call.issue });
    case 'create_issue':
      return present({ action: call.action, title: call.title, body: call.body, labels: [...call.labels] });
    case 'label':
      return present({ action: call.action, add: [...call.add], remove: [...call.remove] });
    case 'comment':
      return present({ action: call.action, target: call.target, message: call.message });
    case 'notify':
      return present({ action: call.action, target: call.target, message: call.message });
  }
}
