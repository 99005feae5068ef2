// Owns the shape of the five review sub-skills of the planner and its executor. The reviewer reads the criteria before the
// work, writes the items once, each with what to expect if it passes, verifies each item on its own, and then tries to
// refute what passed. A reviewer that only wants to be done has nowhere to write "looks good".

import type { JsonObject } from '../../base/json.ts';
import {
  AgentRole,
  arg,
  blockingSeverities,
  type DocumentContract,
  defineSkill,
  type FindingSeverity,
  formatFactoredVerificationRationale,
  formatForbidden,
  formatIncorrectBehavior,
  formatOpenQuestionGuidance,
  formatQrBanner,
  formatQrFileOutput,
  formatSubagentDispatch,
  type GateConfig,
  paramFlags,
  type QRState,
  qrState,
  REVIEW_ROUNDS_MAX,
  type Skill,
  type SkillContext,
  type SkillWorkStep,
} from '../index.ts';
import { formBlock, quoteForm } from './form-block.ts';

/** The round of a review, as a text: a dispatch fills texts in. A person can allow more rounds than there are by rule. */
export const ROUND = arg({
  type: 'string',
  default: '1',
  choices: Array.from({ length: REVIEW_ROUNDS_MAX + 12 }, (_, index) => String(index + 1)),
  description: 'the round of the review',
});

/** How many steps a reviewing sub-skill has. */
const REVIEW_STEPS = 4;

/** A review: who is sent, what it is called, and where its documents are. Parents and sub-skills both build on it. */
export interface ReviewNames {
  /** The sub-skill: `qr-plan-code`. */
  readonly skill: string;
  /** The name of the review in banners and gates: `Plan Code Review`. */
  readonly qrName: string;
  /** The skill that sends the reviewer, and its gate. */
  readonly parent: string;
  readonly parentSteps: number;
  readonly gate: number;
  /** The beginning of its document names: `plan-code`. */
  readonly slug: string;
  /** The beginning of its item ids: `PC`. */
  readonly prefix: string;
  /** Parameters beside `folder` that both skills have. */
  readonly carries?: readonly string[];
}

type ReviewDocuments = Readonly<Record<'items' | 'verdicts' | 'challenge', string>>;

/** The documents of a review. */
export function reviewDocuments({ slug }: Pick<ReviewNames, 'slug'>): ReviewDocuments {
  const at = `{folder}/qr/${slug}`;
  return { items: `${at}-items.json`, verdicts: `${at}-verdicts.json`, challenge: `${at}-challenge.md` };
}

// The agent reads these schemas as they are: they say only what the review itself does not ask of its documents.
const ITEMS_SCHEMA: JsonObject = {
  required: ['items'],
  properties: { items: { items: { required: ['id', 'severity', 'question', 'look', 'passes_if'] } } },
};

const VERDICTS_SCHEMA: JsonObject = {
  required: ['verdicts', 'findings'],
  properties: {
    verdicts: { type: 'array', items: { required: ['id', 'status', 'evidence'], properties: { evidence: { minLength: 20 } } } },
  },
};

function itemsDocument({ prefix, slug }: ReviewNames): DocumentContract {
  return { path: reviewDocuments({ slug }).items, json: ITEMS_SCHEMA, ids: { pattern: `\\b${prefix}-\\d+\\b`, min: 8 }, frozen: true };
}

function verdictsDocument({ prefix, slug }: ReviewNames): DocumentContract {
  const { items, verdicts } = reviewDocuments({ slug });
  const pattern = `\\b${prefix}-\\d+\\b`;
  return { path: verdicts, json: VERDICTS_SCHEMA, ids: { pattern, min: 1 }, references: [{ pattern, to: items }] };
}

function challengeDocument({ prefix, slug }: ReviewNames): DocumentContract {
  const { items, challenge: path } = reviewDocuments({ slug });
  return {
    path,
    sections: ['Refuted', { title: 'Held', minItems: 3 }, 'Outside the Items'],
    quotes: 3,
    references: [{ pattern: `\\b${prefix}-\\d+\\b`, to: items }],
  };
}

/** One row of the criteria: the question, what it applies to, and how severe a failure is. */
interface Criterion {
  /** What gets one item each, such as `each milestone`. */
  readonly per: string;
  readonly severity: FindingSeverity;
  readonly question: string;
}

/** A criterion whose failure means that something is wrong, lost, leaked or missing. */
export function must(per: string, question: string): Criterion {
  return { per, severity: 'MUST', question };
}

/** A criterion whose failure is likely to break the next change. */
export function should(per: string, question: string): Criterion {
  return { per, severity: 'SHOULD', question };
}

/** A criterion whose failure means that the work could be better. */
export function could(per: string, question: string): Criterion {
  return { per, severity: 'COULD', question };
}

/** What differs between the review sub-skills. */
interface ReviewSpec extends ReviewNames {
  readonly description: string;
  /** What is read before the items are written. */
  readonly before: (params: JsonObject) => string;
  readonly criteria: readonly Criterion[];
  /** An item that can be checked in one place, and one that cannot. */
  readonly good: string;
  readonly bad: string;
  /** How an item is checked, in order. */
  readonly looking: (context: SkillContext) => readonly string[];
  /** Where the three quotations of the challenge come from. */
  readonly quoted: string;
  /** Typical mistakes of this kind of work that look right. */
  readonly refutations: readonly string[];
  readonly params?: Skill['params'];
}

/** A reviewing sub-skill. */
export function reviewSkill(spec: ReviewSpec): Skill {
  const { skill, description, params = {} } = spec;
  return defineSkill({
    name: skill,
    description,
    params: {
      folder: arg({ type: 'string', default: `notes/${spec.parent}`, description: 'where the documents of the reviewed work are' }),
      round: ROUND,
      late: arg({ type: 'string', default: '', description: 'items that earlier rounds found after the others were frozen' }),
      ...params,
    },
    steps: [decompose(spec), verify(spec), challenge(spec), giveVerdict(spec)],
  });
}

/** The round of a review, and the paths of its documents. */
function reviewIn({ params }: SkillContext, names: ReviewNames): { readonly qr: QRState } & ReviewDocuments {
  const iteration = Number(params.round);
  const { items, verdicts, challenge: challenged } = reviewDocuments(names);
  const at = (path: string): string => path.replace('{folder}', String(params.folder));
  return { qr: qrState({ iteration, failed: iteration > 1 }), items: at(items), verdicts: at(verdicts), challenge: at(challenged) };
}

function decompose(spec: ReviewSpec): SkillWorkStep {
  const { prefix, qrName, criteria, good, bad, before } = spec;
  return {
    id: 'decompose',
    title: 'Decompose into Items',
    contract: { documents: [itemsDocument(spec)] },
    actions: (context) => {
      const { qr, items } = reviewIn(context, spec);
      const banner = formatQrBanner({ qr, qrName, freshReview: true });
      if (qr.iteration > 1)
        return [
          banner,
          `The items were written in round 1 and are frozen: read ${items} and leave it as it is.`,
          `Do not open the verdicts or the challenge of an earlier round: what passed then may fail now, and what failed must be judged again.`,
          before(context.params),
        ];
      return [
        banner,
        before(context.params),
        `Then write ${items}, with one item for each row below and each thing that the row applies to (R requirement, D decision, I intent, M milestone, C change). If a row applies to nothing here, write one item that asks whether that is true. If there are more than 60 items, combine those that can be checked at the same place.`,
        [
          '| of | severity | question |',
          '|---|---|---|',
          ...criteria.map((row) => `| ${row.per} | ${row.severity} | ${row.question} |`),
        ].join('\n'),
        formBlock(
          `{"items": [{"id": "${prefix}-1", "severity": "MUST", "question": "…?", "look": "what to open or run", "passes_if": "what you see there if it passes"}]}`,
        ),
        `Write passes_if before you look, in words that a stranger could compare with what is there. Good: ${good}`,
        formatIncorrectBehavior(bad, { consequence: 'nothing you could open or run answers it, so it passes by impression' }),
        'Later rounds verify these items and no others: what is not asked here is not reviewed.',
      ];
    },
  };
}

function verify(spec: ReviewSpec): SkillWorkStep {
  const { prefix, looking } = spec;
  return {
    id: 'verify',
    title: 'Verify Each Item',
    contract: { documents: [verdictsDocument(spec)] },
    actions: (context) => {
      const { qr, items, verdicts } = reviewIn(context, spec);
      const blocks = blockingSeverities(qr.iteration);
      return [
        formatFactoredVerificationRationale(),
        formatOpenQuestionGuidance(),
        `Verify the ${blocks.join(', ')} items of ${items}, the most severe first. For each: read passes_if, open what look names (again, even if you saw it for another item), compare, write the verdict.`,
        ...(context.params.late === ''
          ? []
          : [`Verify these too, by their ids; they were found after the items were frozen:\n${context.params.late}`]),
        ...looking(context),
        `Write the whole file ${verdicts}:`,
        formBlock(
          `{"verdicts": [{"id": "${prefix}-1", "status": "pass", "evidence": "…"}], "findings": [{"severity": "SHOULD", "text": "…"}]}`,
        ),
        [
          '| verdict | its evidence |',
          '|---|---|',
          '| pass | path:line and the words there; or the command and the line of its output |',
          '| fail | what you looked for, where, and what is there instead |',
          '| fail | if looking cannot settle it: the question that remains open |',
        ].join('\n'),
        'findings: problems that you saw but no item asks about. MUST: something is wrong, lost, leaked or missing. SHOULD: the next change here is likely to break it. COULD: it would be better.',
        formatForbidden([
          'Change nothing but this file. Fix nothing.',
          'Give no evidence that would fit another item just as well ("handled", "as described").',
        ]),
      ];
    },
  };
}

function challenge(spec: ReviewSpec): SkillWorkStep {
  const { refutations, quoted } = spec;
  return {
    id: 'challenge',
    title: 'Challenge the Verdicts',
    contract: { documents: [challengeDocument(spec)] },
    actions: (context) => {
      const { qr, challenge: file } = reviewIn(context, spec);
      return [
        'Take every MUST item that passed and at least three others. For each, name one case in which the verdict would be wrong, then look for exactly that case. Typical mistakes in work of this kind that look right:',
        refutations.map((text) => `- ${text}`).join('\n'),
        `Write ${file}:`,
        [
          '- Refuted: each item whose verdict changes, and what you saw. Change it in the verdicts file too.',
          '- Held: an entry per item: its id, the case that you tried, and why it holds.',
          '- Outside the Items: problems that no item asks about (add them to findings too); or where you looked and found none.',
        ].join('\n'),
        `Quote, word for word, what shows that an item holds: ${quoted}.`,
        quoteForm('if (entries.length === 0) return FIRST_PAGE;', 'src/list.ts:41'),
        ...(qr.iteration > 1 ? ['What was added since round 1 has no item yet: review it here.'] : []),
        'If everything passed, name the three weakest places of the work and say why each is not a finding.',
      ];
    },
  };
}

function giveVerdict(spec: ReviewSpec): SkillWorkStep {
  const { parent, parentSteps: total, gate, carries = [] } = spec;
  return {
    id: 'verdict',
    title: 'Return the Verdict',
    contract: {
      report: {
        type: 'object',
        required: ['status', 'failed'],
        properties: { status: { enum: ['pass', 'fail'] }, failed: { type: 'array', items: { type: 'string' } } },
      },
    },
    actions: (context) => {
      const { qr, verdicts: file } = reviewIn(context, spec);
      const flags = paramFlags(valuesOf(context.params, ['folder', ...carries]));
      const block = (status: 'pass' | 'fail'): string =>
        formatQrFileOutput({ script: `pawl skill step ${parent}`, step: gate, total, flags, file, status, qr, otherwise: IN_A_RUN });
      return [
        `The verdict is fail if an item of ${blockingSeverities(qr.iteration).join(', ')} fails or a finding is a MUST; otherwise it is pass. It follows from ${file}, not from your impression.`,
        'Return the block of the verdict as your whole answer, with nothing before or after it. Only in a run do you also report the step.',
        block('pass'),
        block('fail'),
      ];
    },
  };
}

/** Parameters as a dispatch names them. */
export function asTemplates(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `{${name}}`]));
}

/** The values of some parameters, as texts. */
export function valuesOf(params: JsonObject, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, String(params[name])]));
}

const IN_A_RUN = 'If this review is a step of a run, report that step instead: the run decides at the gate.';

/** The step of a parent skill that starts the reviewer, and does nothing else. */
export function reviewStep(names: ReviewNames, { id, title }: { readonly id: string; readonly title: string }): SkillWorkStep {
  const { skill, qrName, carries = [] } = names;
  const carried = ['folder', ...carries];
  return {
    id,
    title,
    fresh: true,
    dispatch: {
      agent: AgentRole.QUALITY_REVIEWER,
      skill,
      params: { ...asTemplates(carried), round: '{round}', late: '{late}' },
      returns: 120,
    },
    contract: { documents: [itemsDocument(names), verdictsDocument(names), challengeDocument(names)] },
    actions: ({ params, qr }) => [
      formatQrBanner({ qr, qrName, freshReview: true }),
      'An agent that took no part in the work must do this review. If you took part, start one with this block and nothing else: no summary, no opinion, no earlier findings. If you were started to do the review, run the command in the block yourself.',
      formatSubagentDispatch({
        agent: AgentRole.QUALITY_REVIEWER,
        scriptPath: `pawl skill step ${skill}`,
        step: 1,
        totalSteps: REVIEW_STEPS,
        params: { ...valuesOf(params, carried), round: qr.iteration },
      }),
      '<orchestrator_action>When the reviewer returns, do what the orchestrator_action of its reply says, and nothing before that: do not read the findings, and fix nothing. A reply without it is not a review: start a new reviewer.</orchestrator_action>',
    ],
  };
}

/** Where a gate leads, and who fixes what the review found. */
type GateWays = { readonly workStep: number; readonly passStep: number | null; readonly passMessage: string } & (
  | { readonly selfFix: true; readonly fixTarget?: string }
  | { readonly selfFix: false; readonly fixTarget: string }
);

/** The gate of a review: where its documents are, beside what the parent decides. */
export function reviewGate(names: ReviewNames, config: GateWays): GateConfig {
  const { items, verdicts } = reviewDocuments(names);
  return { ...config, qrName: names.qrName, items, verdicts };
}
