import { expect, test } from 'vitest';
import {
  AgentRole,
  branchRouting,
  formatConditionalDispatch,
  formatCurrentAction,
  formatDetectionQuestions,
  formatExpectedOutput,
  formatFactoredVerificationRationale,
  formatForbidden,
  formatGateActions,
  formatGateResult,
  formatGateStep,
  formatIncorrectBehavior,
  formatInvokeAfter,
  formatModelSelection,
  formatNextBlock,
  formatOpenQuestionGuidance,
  formatOrchestratorConstraint,
  formatParallelDispatch,
  formatPostQrRouting,
  formatQrBanner,
  formatQrFileOutput,
  formatResource,
  formatRouting,
  formatStateBanner,
  formatStepHeader,
  formatStepOutput,
  formatSubagentDispatch,
  formatTextOutput,
  formatVerificationChecklist,
  formatXmlMandate,
  gateConfig,
  linearRouting,
  qrState,
  terminalRouting,
} from '../index.ts';

const gate = gateConfig({
  qrName: 'Implementation Review',
  workStep: 1,
  passStep: 4,
  passMessage: 'Implementation verified',
  selfFix: true,
  fixTarget: AgentRole.DEVELOPER,
});
const at = { script: 'script', step: 3, total: 4 };

test('a review states its round in its first line, and whether it is a new review', () => {
  expect(formatQrBanner({ qr: qrState({ iteration: 1 }), qrName: 'Plan Review' })).toBe('PLAN REVIEW: Review the work for issues.');
  expect(formatQrBanner({ qr: qrState({ iteration: 2, failed: true, status: 'fail' }), qrName: 'Plan Review', freshReview: true })).toBe(
    'PLAN REVIEW (Iteration 2, fresh review): Previous review found issues.',
  );
  expect(formatQrBanner({ qr: qrState({ iteration: 3 }), qrName: 'Plan Review' })).toBe(
    'PLAN REVIEW (Iteration 3): Previous review found issues.',
  );
});

test('texts and blocks are mixed in the actions of a step', () => {
  const actions = [
    formatStateBanner('checkpoint_name', { iteration: 2, mode: 're-verify' }),
    '',
    'TASK: Fix identified issues',
    '',
    formatForbidden(['Do not modify unrelated files', 'Do not change API contracts']),
    '',
    formatExpectedOutput(['All QR issues resolved', 'Tests passing']),
  ];
  expect(formatCurrentAction(actions)).toBe(`<DO>
<state_banner checkpoint="checkpoint_name" iteration="2" mode="re-verify">checkpoint_name: iteration 2, re-verify</state_banner>

TASK: Fix identified issues

<forbidden>
- Do not modify unrelated files
- Do not change API contracts
</forbidden>

<expected_output>
- All QR issues resolved
- Tests passing
</expected_output>
</DO>`);
});

test('the text for a sub-agent has its script, its step and its context', () => {
  const dispatch = {
    agent: AgentRole.EXPLORE,
    scriptPath: '/path/to/explore.js',
    step: 1,
    totalSteps: 2,
    contextVars: { dimension: 'naming & <style>' },
    freeForm: false,
  };
  expect(formatSubagentDispatch(dispatch)).toBe(`<subagent_dispatch agent="explore" free_form="false">
<context name="dimension">naming &amp; &lt;style&gt;</context>
<invoke>/path/to/explore.js --step 1 --total-steps 2</invoke>
Start a new explore sub-agent with this context and tell it: run the command, do exactly what it prints, and continue with the command that it names until it prints COMPLETE.
</subagent_dispatch>`);
  expect(formatSubagentDispatch({ ...dispatch, params: { folder: 'my notes', round: 2 } })).toContain(
    `<invoke>/path/to/explore.js --step 1 --total-steps 2 -p 'folder=my notes' -p round=2</invoke>`,
  );
  expect(formatSubagentDispatch({ ...dispatch, freeForm: true })).toContain('may leave the script');
  expect(formatParallelDispatch([dispatch, { ...dispatch, agent: 'docs' }])).toMatch(
    /^<parallel_dispatch count="2">\nStart all 2 .*agent="explore".*agent="docs".*<\/parallel_dispatch>$/s,
  );
  expect(formatConditionalDispatch('a test fails', { dispatch, otherwise: 'Go on.' })).toMatch(
    /^<conditional_dispatch>\n<if>a test fails<\/if>\n<subagent_dispatch .*<otherwise>Go on.<\/otherwise>\n<\/conditional_dispatch>$/s,
  );
  expect(formatModelSelection([{ model: 'large', when: 'it designs' }])).toBe(
    '<model_selection>\n<use model="large">it designs</use>\n</model_selection>',
  );
});

test('a gate that passed continues with the next step', () => {
  expect(
    formatGateStep({ ...at, title: 'Gate: Route Based on QR', qr: qrState({ status: 'pass' }), gate }),
  ).toBe(`<step_output step="3" total="4">
<step_header script="script" step="3" total="4">Gate: Route Based on QR</step_header>
<DO>
<gate_result status="pass">Implementation verified</gate_result>
Continue with step 4.
</DO>
<NEXT>script --step 4 --total-steps 4</NEXT>
<INVOKE_AFTER>When everything in DO is done, run the command in NEXT. Do not skip or reorder steps.</INVOKE_AFTER>
</step_output>`);
  expect(formatGateStep({ ...at, title: 'Gate', qr: qrState({ status: 'pass' }), gate: { ...gate, passStep: null } })).toMatch(
    /The work is complete\.\n<\/DO>\n<INVOKE_AFTER>COMPLETE: /,
  );
});

test('a gate that failed stops the work and leads back to it for the next round', () => {
  const failed = formatGateStep({ ...at, title: 'Gate', qr: qrState({ iteration: 3, status: 'fail' }), gate });
  expect(failed).toContain('<NEXT>script --step 1 --total-steps 4 --qr-iteration 4 --qr-fail</NEXT>');
  expect(failed).toContain('STOP: the work does not continue until a review passes. Blocking in round 3: MUST, SHOULD.');
  const other = formatGateActions({ qr: qrState({ status: 'fail' }), gate: { ...gate, selfFix: false, fixTarget: 'technical-writer' } });
  expect(other.at(-1)).toContain('Send the technical-writer to fix');
});

test('a gate without a verdict asks for it, and after eight rounds a person decides', () => {
  const asked = formatGateStep({ ...at, title: 'Gate', qr: qrState({ iteration: 2 }), gate });
  expect(asked).toContain('<if_pass>script --step 3 --total-steps 4 --qr-iteration 2 --qr-status pass</if_pass>');
  expect(asked).toContain('<if_fail>script --step 3 --total-steps 4 --qr-iteration 2 --qr-status fail</if_fail>');
  const last = formatGateStep({ ...at, title: 'Gate', qr: qrState({ iteration: 8, status: 'fail' }), gate });
  expect(last).toContain('let them decide');
  expect(last).not.toContain('<NEXT>');
});

test('the result of a reviewer contains what must happen next, because nothing else is read', () => {
  expect(formatQrFileOutput({ ...at, file: 'qr/findings.json', status: 'fail', qr: qrState() })).toBe(`<qr_file_output status="fail">
<findings_file>qr/findings.json</findings_file>
<orchestrator_action>
The review has ended: fail. Do not read the findings and fix nothing yet. Run the gate first:
<invoke>script --step 3 --total-steps 4 --qr-status fail</invoke>
</orchestrator_action>
</qr_file_output>`);
  expect(formatQrFileOutput({ ...at, file: 'f', status: 'pass', qr: qrState(), otherwise: 'In a run, report the step.' })).toContain(
    '</invoke>\nIn a run, report the step.\n</orchestrator_action>',
  );
  expect(formatPostQrRouting({ ...at, qr: qrState() })).toBe(`<post_qr_routing>
<if_pass>script --step 3 --total-steps 4 --qr-status pass</if_pass>
<if_fail>script --step 3 --total-steps 4 --qr-status fail</if_fail>
</post_qr_routing>`);
});

test('the other blocks are elements with the name of their function', () => {
  const blocks = {
    step_header: formatStepHeader({ ...at, title: 'A & B' }),
    xml_mandate: formatXmlMandate(),
    step_output: formatStepOutput({ ...at, title: 'T', actions: ['x'], following: { kind: 'terminal' } }),
    gate_result: formatGateResult('pass', { message: 'ok' }),
    routing: formatRouting(linearRouting()),
    resource: formatResource('plan-format', { content: '# Plan\n<b>' }),
    detection_questions: formatDetectionQuestions(['Why?']),
    verification_checklist: formatVerificationChecklist(['It builds.']),
    incorrect_behavior: formatIncorrectBehavior('Fixing at once', { consequence: 'no review' }),
    orchestrator_constraint: formatOrchestratorConstraint(),
    factored_verification_rationale: formatFactoredVerificationRationale(),
    open_question_guidance: formatOpenQuestionGuidance(),
    NEXT: formatNextBlock('run it'),
    INVOKE_AFTER: formatInvokeAfter({ kind: 'branch', ifPass: 'a', ifFail: 'b' }),
  };
  for (const [name, block] of Object.entries(blocks)) expect(block).toMatch(new RegExp(`^<${name}[ >].*</${name}>$`, 's'));
  expect(blocks.resource).toBe('<resource name="plan-format">\n# Plan\n&lt;b&gt;\n</resource>');
  expect(blocks.step_header).toContain('A &amp; B');
  expect(formatRouting(branchRouting({ ifPass: 4, ifFail: 3 }))).toBe('<routing kind="branch" if_pass="4" if_fail="3"></routing>');
  expect(formatRouting(terminalRouting())).toBe('<routing kind="terminal"></routing>');
});

test('a command is printed exactly as it must be run, with any content', () => {
  expect(formatNextBlock(`a "b" && c`)).toBe('<NEXT><![CDATA[a "b" && c]]></NEXT>');
});

test('a simple skill is plain text', () => {
  const first = {
    step: 1,
    total: 2,
    title: 'Analyze Problem',
    actions: ['Read codebase', 'Identify issues'],
    brief: 'Initial analysis',
    nextTitle: 'Propose Solution',
  };
  expect(formatTextOutput(first)).toBe(`STEP 1 OF 2: Analyze Problem
Initial analysis

DO:
Read codebase
Identify issues

NEXT: Propose Solution`);
  expect(formatTextOutput({ ...first, nextTitle: null })).toMatch(/\n\nCOMPLETE: this is the last step\.$/);
});
