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
 * MarkdownRenderer of projects renderedField as Markdown. Not through `POST /markdown`, which takes one at a time: those that are asked for at
 * the same moment are renderedField together, by the same rendering, which looks up every reference as the caller.
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
      const renderedField = await renderTexts(this.#services, this.#reader, subject, wanted);
      for (const [at, { done }] of wanted.entries()) done(renderedField[at] ?? '');
    } catch (error) {
      for (const { failed } of wanted) failed(error);
    }
  }
}
