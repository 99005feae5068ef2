// Owns how something that is done on the forge stands in a step: its name, and what it is done with.

import type { JsonObject } from '../../base/json.ts';
import { given } from './compile-step.ts';
import type { YamlCall } from './document.ts';

type Call = YamlCall extends infer Each ? (Each extends YamlCall ? Omit<Each, 'path'> : never) : never;

/** The configuration of an action step. */
export function callConfig(call: Call): JsonObject {
  switch (call.action) {
    case 'merge_pr':
      return given({ action: call.action, method: call.method, delete_branch: call.deleteBranch });
    case 'close_issue':
      return given({ action: call.action, issue: call.issue });
    case 'create_issue':
      return given({ action: call.action, title: call.title, body: call.body, labels: [...call.labels] });
    case 'label':
      return given({ action: call.action, add: [...call.add], remove: [...call.remove] });
    case 'comment':
      return given({ action: call.action, target: call.target, message: call.message });
    case 'notify':
      return given({ action: call.action, target: call.target, message: call.message });
  }
}
