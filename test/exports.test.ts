// Pins what the package publishes. A name that appears or goes is a decision: change the list here with it.

import { describe, expect, test } from 'vitest';
import { findFiles, publishedEntries, readText } from './tidy/repository.ts';
import { parseSource, type SyntaxNode } from './tidy/source.ts';

const PUBLISHED: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'AgentAnswer',
    'AgentDriver',
    'AgentRequest',
    'AgentRole',
    'AnswerRequest',
    'Arg',
    'ArgSpec',
    'CheckConfigs',
    'CheckScene',
    'CheckSpec',
    'CheckVerdict',
    'Checkpoint',
    'Clock',
    'CompiledWorkflow',
    'ConditionSpec',
    'DecisionRequest',
    'DefinitionSource',
    'Dispatch',
    'DocumentAvailability',
    'Engine',
    'EngineError',
    'EngineOptions',
    'ForkPlan',
    'ForkRequest',
    'GateCheck',
    'GraphContext',
    'GraphSpec',
    'Handout',
    'HumanGateSpec',
    'KeyList',
    'Limits',
    'LoopState',
    'OpenGate',
    'OpenIdentity',
    'OpenQuestions',
    'Outcome',
    'OwnCheck',
    'OwnJob',
    'OwnKind',
    'OwnKindSpec',
    'OwnResult',
    'Patience',
    'ProgressEvent',
    'ReportVerdict',
    'ResumeChoice',
    'ResumeContext',
    'RunHandle',
    'RunView',
    'Signature',
    'Statement',
    'StepContext',
    'StepDef',
    'StepFailed',
    'StepOutput',
    'StepResult',
    'StepSpec',
    'StepView',
    'Store',
    'UsedKind',
    'WorkConfigs',
    'WorkReport',
    'Workflow',
    'WorkflowResult',
    'all',
    'arg',
    'createAcpDriver',
    'createAiSdkDriver',
    'createClaudeCodeDriver',
    'createCodexDriver',
    'createCommandDriver',
    'createEngine',
    'createLiveDriver',
    'createScriptedDriver',
    'defineCheck',
    'defineStepKind',
    'defineWorkflow',
    'discoverWorkflows',
    'isEngineError',
    'openIdentity',
    'openSqliteStore',
    'race',
    'step',
    'toMermaid',
    'workflow',
  ],
  './testing': [
    'Attack',
    'BoundedInt',
    'ChoiceSet',
    'Constant',
    'CrashCase',
    'CrashOptions',
    'CrashReport',
    'Domain',
    'FalseCompletion',
    'HostileAgent',
    'HostileName',
    'HostileOptions',
    'HostileResult',
    'HostileStage',
    'HostileStep',
    'HostileTarget',
    'Ledger',
    'SimulationFailed',
    'SimulationOptions',
    'SimulationReport',
    'VirtualClock',
    'createVirtualClock',
    'domainOf',
    'extractSchema',
    'formatCrashReport',
    'hostileAgents',
    'hostileScript',
    'openLedger',
    'proveCrashes',
    'readLedger',
    'runCrashProgram',
    'runHostile',
    'simulate',
  ],
  './testing/suites': [
    'CheckCase',
    'CheckHarness',
    'DriverBehaviour',
    'DriverHarness',
    'ForgeStage',
    'KindCase',
    'KindHarness',
    'OpenStore',
    'OpenedStore',
    'describeCheck',
    'describeDriver',
    'describeForge',
    'describeStepKind',
    'describeStore',
  ],
};

function exportedNames(path: string): string[] {
  return parseSource(path, readText(path))
    .body.flatMap((statement) => namesOf(path, statement))
    .sort();
}

function namesOf(path: string, statement: SyntaxNode): string[] {
  if (statement.type !== 'ExportNamedDeclaration' || statement.declaration) {
    throw new Error(`${path} holds a ${statement.type}; a published entry only exports by name what others own`);
  }
  return (statement.specifiers as { exported: { name: string } }[]).map(({ exported }) => exported.name);
}

describe('the package', () => {
  const entries = publishedEntries();

  test('publishes the entries that are pinned, and every index is one', () => {
    expect(Object.keys(entries).sort()).toEqual(Object.keys(PUBLISHED).sort());
    expect(findFiles(['src/**/index.ts'])).toEqual(Object.values(entries).sort());
  });

  test.each(Object.entries(PUBLISHED))('publishes exactly these names at %s', (entry, names) => {
    expect(exportedNames(entries[entry] as string)).toEqual(names);
  });

  test.each(Object.keys(PUBLISHED))('can be imported at %s', async (entry) => {
    const file = `../${entries[entry]}`;
    const loaded = (await import(/* @vite-ignore */ file)) as object;
    expect(PUBLISHED[entry]).toEqual(expect.arrayContaining(Object.keys(loaded)));
    expect(Object.keys(loaded)).not.toEqual([]);
  });
});
