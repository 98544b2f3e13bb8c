/** The part of Turbo that these modules use; Turbo is bundled before them. */
declare const Turbo: {
  visit(address: string, options?: { action?: 'advance' | 'replace' }): void;
  readonly StreamActions: Record<string, (this: Element) => void>;
  connectStreamSource(source: EventSource): void;
  disconnectStreamSource(source: EventSource): void;
};
