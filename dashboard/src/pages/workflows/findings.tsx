// Shows the findings of validation about workflows, with the place of each finding.

import type { WorkflowList } from '../../connection/contract.ts';
import { plainLine, plainText } from '../../text/plain-text.ts';

/** Something that validation says. */
export type Finding = WorkflowList['problems'][number];

/** The findings, each with its place. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul className="stack">
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.file} ${finding.line} ${finding.column} ${finding.message}`} className="banner bad">
          <p>
            {plainText(finding.message)}
            {finding.hint !== '' && <span className="said">{plainText(finding.hint)}</span>}
            <span className="said mono">
              {plainLine(finding.file)}:{finding.line}:{finding.column} [{finding.code}]
            </span>
          </p>
        </li>
      ))}
    </ul>
  );
}
