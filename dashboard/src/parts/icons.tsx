// Owns the icons: 16 by 16, in the colour of the text around them.

import type { ReactNode } from 'react';

function Svg({ children, className }: { readonly children: ReactNode; readonly className?: string }) {
  return (
    <svg
      className={className}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

/** The icons by name. */
export const ICONS = {
  inbox: <path d="M2 9.5 4 3h8l2 6.5V13H2V9.5Zm0 0h3.5L6.5 11h3l1-1.5H14" />,
  runs: <path d="M2.5 4h11M2.5 8h11M2.5 12h7" />,
  workflows: <path d="M3 2.5h4v3H3zM9 10.500h4v3H9zM5 5.500V8.500q0 3.500 4 3.500" />,
  usage: <path d="M2.500 13.500h11M4.500 13.500V8M8 13.500V3M11.500 13.500V6" />,
  events: <path d="M8 4.500V8l2.500 1.500M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z" />,
  access: <path d="M8 1.800 13.500 4v4c0 3-2.200 5.200-5.500 6.200C4.700 13.200 2.500 11 2.500 8V4L8 1.800Z" />,
  menu: <path d="M2.500 4h11M2.500 8h11M2.500 12h11" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  theme: <path d="M13.500 9.500A6 6 0 1 1 6.500 2.500a5 5 0 0 0 7 7Z" />,
  down: <path d="m4 6 4 4 4-4" />,
  right: <path d="m6 4 4 4-4 4" />,
  search: <path d="M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9ZM10.500 10.500l3 3" />,
  download: <path d="M8 2.500v8M4.500 7.500 8 11l3.500-3.500M3 13.500h10" />,
} as const;

/** One of the icons. */
export function Icon({ name }: { readonly name: keyof typeof ICONS }) {
  return <Svg>{ICONS[name]}</Svg>;
}

const MARKS = {
  ok: <path d="m4.700 8.300 2.200 2.200 4.400-4.700M8 1.800a6.200 6.200 0 1 1 0 12.400A6.200 6.200 0 0 1 8 1.800Z" />,
  bad: <path d="m5.700 5.700 4.600 4.600m0-4.600-4.600 4.600M8 1.800a6.200 6.200 0 1 1 0 12.400A6.200 6.200 0 0 1 8 1.800Z" />,
  wait: <path d="M6.200 5.200v5.600m3.600-5.600v5.600M8 1.800a6.200 6.200 0 1 1 0 12.400A6.200 6.200 0 0 1 8 1.800Z" />,
  busy: <path className="turning" d="M8 1.800a6.200 6.200 0 1 1-5.800 4M8 5.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5Z" />,
  odd: (
    <path d="M6.300 6.300a1.800 1.800 0 1 1 2.500 1.700c-.6.300-.8.600-.8 1.200m0 2v.1M8 1.800a6.200 6.200 0 1 1 0 12.400A6.200 6.200 0 0 1 8 1.800Z" />
  ),
  idle: <path d="M8 1.800a6.200 6.200 0 1 1 0 12.400A6.200 6.200 0 0 1 8 1.800Z" strokeDasharray="2.400 2.400" />,
} as const;

/** What a status means to the reader: it worked, failed, waits, runs, is doubtful or has not begun. */
export type Tone = keyof typeof MARKS;

/** The mark of a tone: marks differ in shape, not only in colour. */
export function Mark({ tone }: { readonly tone: Tone }) {
  return <Svg>{MARKS[tone]}</Svg>;
}
