// Steps 3 to 5 of `incoherence`: what the sources claim, one kind of source after the other, each claim with a quotation.

import type { SkillWorkStep } from '../../index.ts';
import { document } from '../document.ts';

/** The kinds of claims: the letter of their ids, and the document that has them. */
export const CLAIMS = {
  documents: { letter: 'S', file: '03-claims-documents.md' },
  configuration: { letter: 'G', file: '04-claims-configuration.md' },
  comments: { letter: 'T', file: '05-claims-comments.md' },
} as const;

/** What differs between the steps that collect claims. */
interface ClaimStep {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly kind: (typeof CLAIMS)[keyof typeof CLAIMS];
  /** How many claims there are at least, each with its quotation. */
  readonly quotes: number;
  /** Where these claims are found. */
  readonly where: readonly string[];
}

const EXAMPLES: Readonly<Record<ClaimStep['kind']['letter'], string>> = {
  S: "Good: 'S-4 (D-1) a request times out after 30 s', then its quotation. Bad: 'S-4 requests have timeouts' (nothing can contradict it).",
  G: "Good: 'G-2 (D-1) timeout is 10 in the sample configuration, unit not stated'. Bad: 'G-2 the timeout can be configured'.",
  T: "Good: 'T-7 (D-3) the comment above retry() says: at most twice'. Bad: 'T-7 retry is commented'.",
};

/** A step that collects the claims of one kind of source. */
export function claimStep({ id, title, file, kind: { letter }, quotes, where }: ClaimStep): SkillWorkStep {
  return {
    id,
    title,
    actions: ({ params: { folder } }) => [
      ...where,
      `Write ${folder}/${file}. Claims: ${letter}-1, ${letter}-2 …: its dimension (D-n of 02), what is claimed in one line, and the quotation. A claim can be false: it has a subject and a number, a name, a condition, or a must, never, only, after. Praise, goals and plans are not claims.`,
      EXAMPLES[letter],
      letter === 'S'
        ? 'At most 40: first those that a reader acts on, then those that are precise, then the rest. Do not look at the code yet: whoever knows what the code does reads that into the text.'
        : 'At most 40, in the same order: acted on, precise, the rest. Include those that seem obvious: nobody has compared them for years.',
      'Read: a row per file: whether you read all of it or which part, and how many claims you found in it.',
    ],
    contract: document(`{folder}/${file}`, {
      sections: [
        { title: 'Claims', minWords: 20 },
        { title: 'Read', minItems: 1 },
      ],
      ids: { pattern: `\\b${letter}-\\d+\\b`, min: quotes },
      references: [{ pattern: '\\bD-\\d+\\b', to: '{folder}/02-dimensions.md' }],
      quotes,
    }),
  };
}
