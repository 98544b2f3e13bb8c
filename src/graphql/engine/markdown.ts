import type { Actor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { renderTexts } from '../../planning/markdown/public.ts';

interface Wanted {
  readonly text: string;
  /** Is it one line, such as a title? */
  readonly line: boolean;
  readonly done: (html: string) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Renders Markdown for the fields of a query. `POST /markdown` takes one text at a time; here, texts requested in the same
 * tick are rendered as one batch, with every reference resolved as the caller.
 */
export class MarkdownRenderer {
  readonly #services: Services;
  readonly #reader: Actor;
  readonly #wanted = new Map<ProjectOrGroup, Wanted[]>();

  constructor(services: Services, reader: Actor) {
    this.#services = services;
    this.#reader = reader;
  }

  draw(subject: ProjectOrGroup, text: string, line = false): Promise<string> {
    return new Promise((done, failed) => {
      const waiting = this.#wanted.get(subject);
      if (waiting) return waiting.push({ text, line, done, failed });
      this.#wanted.set(subject, [{ text, line, done, failed }]);
      setImmediate(() => this.#drawAll(subject));
    });
  }

  async #drawAll(subject: ProjectOrGroup): Promise<void> {
    const wanted = this.#wanted.get(subject) ?? [];
    this.#wanted.delete(subject);
    try {
      const rendered = await renderTexts(this.#services, this.#reader, subject, wanted);
      for (const [at, { done }] of wanted.entries()) done(rendered[at] ?? '');
    } catch (error) {
      for (const { failed } of wanted) failed(error);
    }
  }
}
