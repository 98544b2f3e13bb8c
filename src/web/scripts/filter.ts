document.addEventListener('input', (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.dataset.filter === undefined) return;
  const letters = field.value.toLowerCase();
  for (const item of document.querySelectorAll<HTMLElement>(`${field.dataset.filter} > li`)) {
    item.hidden = !(item.textContent ?? '').toLowerCase().includes(letters);
  }
});

/** Submits filter fields while the user types, debounced; the result is loaded into a frame. */
let pause: ReturnType<typeof setTimeout> | undefined;
document.addEventListener('input', (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.dataset.sendTyped === undefined) return;
  clearTimeout(pause);
  pause = setTimeout(() => field.form?.requestSubmit(), 200);
});

/** Arrow keys move between the filter field and the entries of a file list. */
document.addEventListener('keydown', (event) => {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const list = event.target instanceof Element ? event.target.closest('nav.files') : null;
  if (step === 0 || !list || event.ctrlKey || event.metaKey || event.altKey) return;
  const stops = [...list.querySelectorAll<HTMLElement>('input[type=search], li a')];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
