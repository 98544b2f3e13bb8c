/** What the modules here use of Turbo, which stands before them in the script. */
declare const Turbo: {
  visit(address: string, options?: { action?: 'advance' | 'replace' }): void;
  readonly StreamActions: Record<string, (this: Element) => void>;
  connectStreamSource(source: EventSource): void;
  disconnectStreamSource(source: EventSource): void;
};
