// Owns the blocks that contain a text or a list of texts: expected output, forbidden actions, questions and checks.

import { escapeXml, nestedElement, textElement } from '../../base/xml.ts';

function list(name: string, items: readonly string[]): string {
  return nestedElement(
    name,
    {},
    items.map((item) => `- ${escapeXml(item)}`),
  );
}

function paragraph(name: string, text: string): string {
  return nestedElement(name, {}, [escapeXml(text)]);
}

/** `<expected_output>`: what must exist when the step is done. */
export function formatExpectedOutput(items: readonly string[]): string {
  return list('expected_output', items);
}

/** `<forbidden>`: what the agent must not do. */
export function formatForbidden(items: readonly string[]): string {
  return list('forbidden', items);
}

/** `<detection_questions>`: questions that find a problem of a kind. */
export function formatDetectionQuestions(questions: readonly string[]): string {
  return list('detection_questions', questions);
}

/** `<verification_checklist>`: what to check, item by item. */
export function formatVerificationChecklist(items: readonly string[]): string {
  return list('verification_checklist', items);
}

/** `<incorrect_behavior>`: a typical mistake of agents, and its consequence. */
export function formatIncorrectBehavior(example: string, { consequence }: { readonly consequence: string }): string {
  return nestedElement('incorrect_behavior', {}, [textElement('example', {}, example), textElement('consequence', {}, consequence)]);
}

/** `<resource>`: a complete reference text. `digest` is that of the original, if the text is a copy. */
export function formatResource(name: string, { content, digest }: { readonly content: string; readonly digest?: string }): string {
  // Quotes are not escaped, so that examples of code stay readable.
  return nestedElement('resource', { name, digest }, [escapeXml(content)]);
}

/** `<orchestrator_constraint>`: the agent that starts others does not do their work. */
export function formatOrchestratorConstraint(
  text = 'You coordinate. For each piece of work, start the agent that is named, wait for its result, and change no file yourself.',
): string {
  return paragraph('orchestrator_constraint', text);
}

/** `<factored_verification_rationale>`: why questions are answered one by one, and criteria are read before the work. */
export function formatFactoredVerificationRationale(
  text = 'Read the criteria before the work. For each one, first write down what you expect to find, then look, then compare. Answer every question by itself: an earlier answer is not evidence for a later one.',
): string {
  return paragraph('factored_verification_rationale', text);
}

/** `<open_question_guidance>`: how to ask open questions. */
export function formatOpenQuestionGuidance(
  text = 'Ask open questions ("What does this return for an empty list?"), not questions that suggest their answer ("Does this handle an empty list?").',
): string {
  return paragraph('open_question_guidance', text);
}
