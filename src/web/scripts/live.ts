let source: EventSource | undefined;

function disconnect(): void {
  if (!source) return;
  Turbo.disconnectStreamSource(source);
  source.close();
  source = undefined;
}

/** Connects to the event stream of the page, unless the page is hidden. */
function connect(): void {
  disconnect();
  const part = document.querySelector<HTMLElement>('[data-live]');
  if (document.hidden || !part) return;
  const address = new URL(location.href);
  address.hash = '';
  // Where the log on the page ends.
  const cursor = document.querySelector<HTMLElement>('[data-live-cursor]');
  if (cursor?.dataset.liveCursor) address.searchParams.set('live', cursor.dataset.liveCursor);
  const opened = new EventSource(address);
  source = opened;
  opened.addEventListener('message', ({ lastEventId }) => {
    if (cursor && lastEventId !== '') cursor.dataset.liveCursor = lastEventId;
  });
  opened.addEventListener('over', disconnect);
  Turbo.connectStreamSource(opened);
}

document.addEventListener('turbo:load', connect);
document.addEventListener('turbo:before-cache', disconnect);
document.addEventListener('visibilitychange', connect);

// Keep following a growing log while its end is visible.
document.addEventListener('turbo:before-stream-render', (event) => {
  const { target } = event;
  if (!(target instanceof Element) || target.getAttribute('action') !== 'append') return;
  const detail = (event as CustomEvent<{ render(stream: Element): Promise<void> }>).detail;
  const { render } = detail;
  detail.render = async (stream) => {
    const page = document.documentElement;
    const follows = page.scrollHeight - window.scrollY - window.innerHeight < 200;
    await render(stream);
    if (follows) window.scrollTo({ top: page.scrollHeight });
  };
});
