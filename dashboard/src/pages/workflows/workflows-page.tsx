// The page of all workflows of the project: what they are, whether they are trusted, and files with errors.

import { Link } from 'wouter';
import type { WorkflowList } from '../../connection/contract.ts';
import { Empty, Pending } from '../../parts/messages.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { Findings } from './findings.tsx';
import { useWorkflows } from './workflow-queries.ts';

/** The page of all workflows. */
export default function WorkflowsPage() {
  const list = useWorkflows();
  if (list.data === undefined) return <Pending of={list} subject="the workflows" title="Workflows" />;
  const { workflows, problems } = list.data;
  return (
    <div className="page">
      <header className="page-head">
        <h1>Workflows</h1>
        <span className="faint">{workflows.length}</span>
      </header>
      {problems.length > 0 && <Findings findings={problems} />}
      {workflows.length === 0 ? (
        <Empty title="No workflows yet">
          <p>A workflow is a file in .pawl/workflows. This writes a first one:</p>
          <code>pawl init</code>
        </Empty>
      ) : (
        <ul className="cards">
          {workflows.map((workflow) => (
            <WorkflowCard key={workflow.name} workflow={workflow} />
          ))}
        </ul>
      )}
    </div>
  );
}

function WorkflowCard({ workflow }: { readonly workflow: WorkflowList['workflows'][number] }) {
  const { name, title, description, form, steps, params, trusted, file } = workflow;
  const address = encodeURIComponent(name);
  return (
    <li className="panel card">
      <div className="row wrap">
        <h2 className="grow cut">
          <Link href={`/workflows/${address}`}>{plainLine(title || name)}</Link>
        </h2>
        {!trusted && <span className="tag warns">not trusted</span>}
      </div>
      {description !== '' && <p className="two-lines">{plainLine(description)}</p>}
      <p className="faint">
        {form}
        {steps !== undefined && ` · ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`}
        {params !== undefined && params.length > 0 && ` · needs ${params.map(plainLine).join(', ')}`}
      </p>
      <p className="faint cut mono small" title={plainLine(file)}>
        {plainLine(file.split('/').slice(-3).join('/'))}
      </p>
      <p className="row wrap">
        <Link href={`/runs?workflow=${address}`}>Its runs</Link>
      </p>
    </li>
  );
}
