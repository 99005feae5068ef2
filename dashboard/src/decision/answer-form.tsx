// Owns the form that answers the questions of an agent: one of the options, several if the question allows it, or a text.

import { useState } from 'react';
import type { Question, QuestionItem } from '../connection/contract.ts';
import { useRunAction } from '../connection/queries.ts';
import { useMay } from '../person.ts';
import { plainLine } from '../text/plain-text.ts';
import { Prose } from '../text/prose.tsx';

/** What a person chose and wrote for one question. */
interface Answer {
  readonly chosen: readonly string[];
  readonly text: string;
}

/** Answers all questions of one step. */
export function AnswerForm({ item }: { readonly item: QuestionItem }) {
  const { questions } = item;
  const [answers, setAnswers] = useState<readonly Answer[]>(() => questions.map(() => ({ chosen: [], text: '' })));
  const action = useRunAction();
  const mayDecide = useMay('decide');
  if (!mayDecide || !item.mine) return <p className="banner">Somebody with the scope "decide" can answer this. You can look at it.</p>;
  if (item.signed)
    return (
      <p className="banner">
        The answer must be signed with an enrolled key, at a terminal: <code>{plainLine(item.command)}</code>
      </p>
    );
  const replies = questions.map((question, n) => answerOf(question, answers[n]));
  return (
    <form
      className="decision"
      aria-label="Answer"
      onSubmit={(event) => {
        event.preventDefault();
        const body = { answers: replies, step: item.path, digest: item.digest };
        action.mutate({ run: item.run, verb: 'answer', body, done: `Answered ${item.step} of run ${item.run}.` });
      }}
    >
      {questions.map((question, n) => (
        <QuestionField
          key={question.question}
          question={question}
          answer={answers[n] ?? { chosen: [], text: '' }}
          change={(answer) => setAnswers(answers.map((each, m) => (m === n ? answer : each)))}
        />
      ))}
      <div className="row">
        <button type="submit" className="primary" disabled={action.isPending || replies.some(({ length }) => length === 0)}>
          Answer
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly question: Question;
  readonly answer: Answer;
  readonly change: (answer: Answer) => void;
}

function QuestionField({ question: { question: text, options, multiSelect: several = false }, answer, change }: FieldProps) {
  const choose = (label: string, isChosen: boolean): void => {
    if (!several) change({ chosen: [label], text: '' });
    else change({ ...answer, chosen: isChosen ? [...answer.chosen, label] : answer.chosen.filter((each) => each !== label) });
  };
  return (
    <fieldset className="choices">
      <legend>
        <Prose text={text} />
      </legend>
      {options.map(({ label, description }) => (
        <label key={label}>
          <input
            type={several ? 'checkbox' : 'radio'}
            name={text}
            checked={answer.chosen.includes(label)}
            onChange={(event) => choose(label, event.target.checked)}
          />
          <span>
            <strong>{plainLine(label)}</strong>
            {description !== undefined && <span className="faint"> {plainLine(description)}</span>}
          </span>
        </label>
      ))}
      <input
        aria-label={options.length === 0 ? 'Your answer' : 'Another answer'}
        placeholder={options.length === 0 ? 'your answer' : 'another answer'}
        value={answer.text}
        onChange={(event) => change({ chosen: several ? answer.chosen : [], text: event.target.value })}
      />
    </fieldset>
  );
}

/** The answer as it is sent: a list if several options may be chosen. It is empty while there is no answer. */
function answerOf({ multiSelect }: Question, { chosen, text }: Answer = { chosen: [], text: '' }): string | readonly string[] {
  const own = text.trim();
  if (multiSelect === true) return own === '' ? chosen : [...chosen, own];
  return own === '' ? (chosen[0] ?? '') : own;
}
