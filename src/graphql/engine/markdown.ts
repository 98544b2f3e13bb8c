import type { Actor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { renderTexts } from '../../planning/markdown/public.ts';

interface PendingText {
  readonly text: string;
  /** Whether it is a single line, such as a title. */
  readonly line: boolean;
  readonly done: (html: string) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Renders Markdown for the fields of a query. Unlike `POST /markdown`, which takes one text, texts requested in the
 * same tick are rendered as one batch, with every reference resolved as the caller.
 */
export class MarkdownRenderer {
  readonly #services: Services;
  readonly #reader: Actor;
  readonly #pending = new Map<ProjectOrGroup, PendingText[]>();

  constructor(services: Services, reader: Actor) {
    this.#services = services;
    this.#reader = reader;
  }

  draw(subject: ProjectOrGroup, text: string, line = false): Promise<string> {
    return new Promise((done, failed) => {
      const waiting = this.#pending.get(subject);
      if (waiting) return waiting.push({ text, line, done, failed });
      this.#pending.set(subject, [{ text, line, done, failed }]);
      setImmediate(() => this.#drawAll(subject));
    });
  }

  async #drawAll(subject: ProjectOrGroup): Promise<void> {
    const pending = this.#pending.get(subject) ?? [];
    this.#pending.delete(subject);
    try {
      const rendered = await renderTexts(this.#services, this.#reader, subject, pending);
      for (const [at, { done }] of pending.entries()) done(rendered[at] ?? '');
    } catch (error) {
      for (const { failed } of pending) failed(error);
    }
  }
}
