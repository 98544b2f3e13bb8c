document.addEventListener('input', (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.dataset.filter === undefined) return;
  const letters = field.value.toLowerCase();
  for (const item of document.querySelectorAll<HTMLElement>(`${field.dataset.filter} > li`)) {
    item.hidden = !(item.textContent ?? '').toLowerCase().includes(letters);
  }
});
