// Owns buttons and fields of forms.

import type { ComponentProps, ReactNode } from 'react';
import { plainLine } from '../text/plain-text.ts';

type ButtonProps = Pick<ComponentProps<'button'>, 'className' | 'disabled' | 'onClick' | 'aria-label'> & { readonly label: string };

/** A button with a text. */
export function Button({ label, ...button }: ButtonProps) {
  return (
    <button type="button" {...button}>
      {label}
    </button>
  );
}

interface DialogButtonsProps {
  readonly close: () => void;
  /** The label of the button that closes the dialog. */
  readonly leave?: string;
  readonly label: string;
  readonly disabled?: boolean;
  readonly act: () => unknown;
}

/** The buttons at the end of a dialog: close it, or carry out the action. */
export function DialogButtons({ close, leave = 'Not now', label, disabled, act }: DialogButtonsProps) {
  return (
    <div className="actions">
      <Button label={leave} onClick={close} />
      <Button label={label} className="primary" disabled={disabled} onClick={() => void act()} />
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

type TextFieldProps = FieldProps & Pick<ComponentProps<'input'>, 'type' | 'min' | 'placeholder'> & { readonly children?: ReactNode };

/** A field for a line of text, a number or a time; its children come below it. */
export function TextField({ label, change, children, ...input }: TextFieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input {...input} onChange={(event) => change(event.target.value)} />
      {children}
    </label>
  );
}

/** A field for several lines of text; its children come below it. */
export function TextArea({ label, change, children, ...area }: FieldProps & Omit<ComponentProps<'textarea'>, 'onChange'>) {
  return (
    <label className="field">
      <span>{label}</span>
      <textarea {...area} onChange={(event) => change(event.target.value)} />
      {children}
    </label>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly (readonly [value: string, text: string])[];
  /** Whether the label is only for screen readers, as in a bar of filters. */
  readonly isBare?: boolean;
  /** Further options, which come last. */
  readonly children?: ReactNode;
}

/** A list of options of which one is chosen. */
export function SelectField({ label, value, options, change, isBare = false, children }: SelectFieldProps) {
  return (
    <label className={isBare ? undefined : 'field'}>
      <span className={isBare ? 'unseen' : undefined}>{label}</span>
      <select value={value} onChange={(event) => change(event.target.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {plainLine(text)}
          </option>
        ))}
        {children}
      </select>
    </label>
  );
}

/** A secret to copy: it is selected when it gets the focus. */
export function SecretField({ label, value }: { readonly label: string; readonly value: string }) {
  return <input className="mono" readOnly value={value} aria-label={label} onFocus={(event) => event.target.select()} />;
}
