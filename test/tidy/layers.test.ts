import { describe, expect, test } from 'vitest';
import { layerViolations } from './layers.ts';
import { parseSource } from './source.ts';

const violations = (path: string, text: string) => layerViolations(parseSource(path, text));

describe('the import order', () => {
  test.each([
    ['a static import', "import { x } from '../kernel/run.ts';"],
    ['a type import', "import type { X } from '../kernel/run.ts';"],
    ['a re-export by name', "export { x } from '../kernel/run.ts';"],
    ['a re-export of everything', "export * from '../kernel/run.ts';"],
    ['a dynamic import', "export const load = () => import('../kernel/run.ts');"],
    ['an import inside a type', "export type X = import('../kernel/run.ts').X;"],
  ])('the import order holds for %s', (_form, text) => {
    expect(violations('src/base/id.ts', text)).toEqual(['src/base/id.ts:1 imports src/kernel/run.ts; src/base may import: nothing']);
  });

  test('the import order lets a folder import itself and what is above it', () => {
    expect(violations('src/kernel/decide.ts', "import '../definition/step.ts'; import './run.ts'; import '../base/id.ts';")).toEqual([]);
  });

  test('the import order holds from deeper folders too', () => {
    expect(violations('src/store/sqlite/open.ts', "import '../../engine/claim.ts';")).toHaveLength(1);
    expect(violations('src/store/sqlite/open.ts', "import '../store.ts';")).toEqual([]);
  });

  test('the import order gives a host the contract of the store and no driver', () => {
    expect(violations('src/engine/host.ts', "import type { Store } from '../store/store.ts';")).toEqual([]);
    expect(violations('src/engine/host.ts', "import { open } from '../store/sqlite/open.ts';")).toEqual([
      'src/engine/host.ts:1 imports src/store/sqlite/open.ts; of src/store it may import src/store/store.ts only',
    ]);
  });

  test('the import order refuses a folder that has no place in it', () => {
    expect(violations('src/misplaced/thing.ts', "import '../base/id.ts';")[0]).toContain('has no place in the import order');
  });

  test('the import order keeps tests and scripts out of what is shipped', () => {
    expect(violations('src/base/id.ts', "import '../../test/tidy/source.ts';")[0]).toContain('outside src');
  });

  test('the import order does not bind tests, packages or the published entry', () => {
    expect(violations('src/base/id.test.ts', "import '../cli/main.ts';")).toEqual([]);
    expect(violations('src/base/id.ts', "import 'node:crypto'; import 'yaml'; import '@scope/name';")).toEqual([]);
    expect(violations('src/index.ts', "export { x } from './engine/host.ts';")).toEqual([]);
  });
});

describe('the schemas of reports', () => {
  test('the schemas of reports are loaded by the server only: the command line starts without zod', () => {
    for (const path of ['src/control/run/report.ts', 'src/cli/run.ts']) {
      const schema = path === 'src/cli/run.ts' ? '../control/schema/run.ts' : '../schema/run.ts';
      expect(violations(path, `import type { RunReport } from '${schema}';`)).toEqual([]);
      expect(violations(path, `import { type RunReport, runReport } from '${schema}';`)[0]).toContain('imports more than types');
    }
    expect(violations('src/server/route.ts', "import { runReport } from '../control/schema/run.ts';")).toEqual([]);
    expect(violations('src/control/schema/step.ts', "import { runReport } from './run.ts';")).toEqual([]);
  });
});

describe('neighbours', () => {
  test.each([
    ['src/store/sqlite/open.ts', '../postgres/open.ts'],
    ['src/agents/codex/codex.ts', '../acp/acp.ts'],
    ['src/agents/claude-code/stream.ts', '../codex/stream.ts'],
    ['src/kinds/gate/run.ts', '../webhook/run.ts'],
    ['src/kinds/gate/checks/webhook/run.ts', '../command/run.ts'],
  ])('neighbours never import each other: %s and %s', (path, target) => {
    expect(violations(path, `import '${target}';`)[0]).toContain('are neighbours');
  });

  test.each([
    ['src/kinds/agent/declare.ts', './compile.ts'],
    ['src/kinds/agent/declare.ts', '../../kernel/decide.ts'],
    ['src/kinds/agent/compile.ts', './run.ts'],
    ['src/kinds/agent/compile.ts', '../../steps/work.ts'],
    ['src/kinds/agent/run.ts', '../../authoring/graph.ts'],
    ['src/kinds/agent/run.ts', '../registry.ts'],
    ['src/definition/model.ts', '../kinds/agent/declare.ts'],
    ['src/engine/driver.ts', '../kinds/registry.ts'],
    ['src/authoring/graph/graph.ts', '../../kinds/registry.ts'],
    ['src/authoring/graph/graph.ts', '../../kinds/spec.ts'],
    ['src/kinds/agent/spec.ts', './compile.ts'],
    ['src/kinds/agent/spec.ts', '../../base/json.ts'],
  ])('a file of a kind has the layer of its name: %s may not import %s', (path, target) => {
    expect(violations(path, `import '${target}';`)).toHaveLength(1);
  });

  test('a kind is listed in the registry, and its files see what is below them', () => {
    expect(violations('src/kinds/registry.ts', "import './agent/run.ts'; import './gate/compile.ts';")).toEqual([]);
    expect(violations('src/kinds/agent/run.ts', "import './declare.ts'; import '../../steps/work.ts';")).toEqual([]);
    expect(violations('src/kinds/agent/compile.ts', "import './declare.ts'; import '../../authoring/graph-work.ts';")).toEqual([]);
    expect(violations('src/kinds/gate/checks/coverage/run.ts', "import './percent.ts';")).toEqual([]);
  });

  test('the types of what authors write are listed beside the registry, for authoring too, and load nothing', () => {
    expect(violations('src/kinds/spec.ts', "import type { AgentStep } from './agent/spec.ts';")).toEqual([]);
    expect(violations('src/kinds/agent/spec.ts', "import type { Get } from '../../authoring/spec/step.ts';")).toEqual([]);
    expect(violations('src/kinds/gate/checks/command/declare.ts', "import type { Fields } from './spec.ts';")).toEqual([]);
    expect(violations('src/kinds/gate/checks/command/declare.ts', "import { fields } from './spec.ts';")).toHaveLength(1);
    expect(violations('src/authoring/spec/step.ts', "import type { Kinds } from '../../kinds/spec.ts';")).toEqual([]);
    expect(violations('src/authoring/spec/step.ts', "export type * from '../../kinds/spec.ts';")).toEqual([]);
    expect(violations('src/authoring/spec/step.ts', "import { type Kinds } from '../../kinds/spec.ts';")).toHaveLength(1);
  });

  test('neighbours share what lies beside them', () => {
    expect(violations('src/agents/codex/codex.ts', "import '../driver.ts';")).toEqual([]);
    expect(violations('src/agents/codex/stream.ts', "import './line.ts';")).toEqual([]);
  });
});
