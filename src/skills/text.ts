// Owns the plain text format of a step, for simple skills and human readers.

/** The plain text of a step. */
export interface TextOutput {
  readonly step: number;
  readonly total: number;
  readonly title: string;
  readonly actions: readonly string[];
  /** One line about the purpose of the step. */
  readonly brief?: string;
  /** The title of the next step; null after the last one. */
  readonly nextTitle: string | null;
}

/** A step as plain text. */
export function formatTextOutput({ step, total, title, actions, brief, nextTitle }: TextOutput): string {
  return [
    `STEP ${step} OF ${total}: ${title}`,
    ...(brief === undefined ? [] : [brief]),
    '',
    'DO:',
    ...actions,
    '',
    nextTitle === null ? 'COMPLETE: this is the last step.' : `NEXT: ${nextTitle}`,
  ].join('\n');
}
