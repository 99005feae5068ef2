// Owns the form that starts a run: a field per parameter of the workflow.

import { useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { write } from '../../connection/api.ts';
import type { Json, RunReport } from '../../connection/contract.ts';
import { TextField } from '../../parts/controls.tsx';
import { Failure } from '../../parts/messages.tsx';
import { plainLine, plainText } from '../../text/plain-text.ts';
import { type ParamField, paramFields, paramsOf } from './param-fields.ts';

interface StartProps {
  readonly name: string;
  readonly schema: Json;
  /** The parameters of an earlier run. */
  readonly initial: Json | undefined;
}

/** Starts a run of a workflow. */
export function StartForm({ name, schema, initial }: StartProps) {
  const fields = useMemo(() => paramFields(schema, initial), [schema, initial]);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [tags, setTags] = useState('');
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const [, navigate] = useLocation();
  // One key per press of the button: if the response is lost, no second run is started.
  const key = useRef(crypto.randomUUID());
  const start = async (): Promise<void> => {
    setSending(true);
    try {
      const params = paramsOf(fields, typed);
      const named = tags.split(/[\s,]+/).filter((tag) => tag !== '');
      const body = { workflow: name, params, ...(named.length === 0 ? {} : { tags: named }) };
      const { run } = await write<RunReport>('/runs', body, { once: key.current });
      key.current = crypto.randomUUID();
      navigate(`/runs/${run.id}`);
    } catch (thrown) {
      setError(thrown);
      key.current = crypto.randomUUID();
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSending) void start();
      }}
    >
      {fields.length === 0 && <p className="faint">It has no parameters.</p>}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={typed[field.name] ?? field.initial}
          change={(text) => setTyped({ ...typed, [field.name]: text })}
        />
      ))}
      <TextField label="Tags" value={tags} change={setTags} placeholder="optional, to find the run again" />
      {error !== undefined && <Failure error={error} />}
      <div className="row">
        <button type="submit" className="primary" disabled={isSending}>
          {isSending ? 'Starting …' : 'Start'}
        </button>
      </div>
    </form>
  );
}

function Field({ field, value, change }: { readonly field: ParamField; readonly value: string; readonly change: (text: string) => void }) {
  const about = field.about === undefined ? null : <small>{plainText(field.about)}</small>;
  if (field.kind === 'flag')
    return (
      <label className="row">
        <input type="checkbox" checked={value === 'true'} onChange={(event) => change(String(event.target.checked))} />
        <span>{plainLine(field.name)}</span>
        {about}
      </label>
    );
  return (
    <label className="field">
      <span>
        {plainLine(field.name)}
        {field.isRequired && <span className="faint"> required</span>}
      </span>
      <Input field={field} value={value} change={change} />
      {about}
    </label>
  );
}

function Input({ field, value, change }: { readonly field: ParamField; readonly value: string; readonly change: (text: string) => void }) {
  if (field.kind === 'choice')
    return (
      <select value={value} required={field.isRequired} onChange={(event) => change(event.target.value)}>
        {!field.choices.includes('') && <option value="" />}
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {plainLine(choice)}
          </option>
        ))}
      </select>
    );
  if (field.kind === 'json' || field.kind === 'long-text')
    return (
      <textarea
        className={field.kind === 'json' ? 'mono' : ''}
        value={value}
        required={field.isRequired}
        spellCheck={field.kind !== 'json'}
        placeholder={field.kind === 'json' ? 'JSON' : ''}
        onChange={(event) => change(event.target.value)}
      />
    );
  const isNumber = field.kind === 'number' || field.kind === 'integer';
  return (
    <input
      type={isNumber ? 'number' : 'text'}
      step={field.kind === 'integer' ? 1 : 'any'}
      value={value}
      required={field.isRequired}
      onChange={(event) => change(event.target.value)}
    />
  );
}
