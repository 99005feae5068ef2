// Owns dialogs: the native element, opened while it is mounted, closed by Escape; the focus goes back to where it was.

import { type ReactNode, useEffect, useId, useRef } from 'react';

/** Shows its children in a dialog until it is closed. */
export function Dialog({ title, close, children }: { readonly title: string; readonly close: () => void; readonly children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open) return;
    const before = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      // A dialog that is removed from the page does not restore the focus by itself.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={name} onCancel={close} onClose={close}>
      <div className="inside">
        <h2 id={name}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
