// Dragging with the pointer, and clicks, which hardly move it.

const CLICK_PIXELS = 4;

/** Follow a pointer that was pressed at a place, until it is released. */
export function dragged(begin, { onDrag, onClick }) {
  let isClick = true;
  const drag = (now) => {
    const [x, y] = [now.clientX - begin.x, now.clientY - begin.y];
    if (Math.hypot(x, y) > CLICK_PIXELS) isClick = false;
    if (!isClick) onDrag(x, y);
  };
  const end = (now) => {
    removeEventListener("pointermove", drag);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    if (isClick && now.type === "pointerup") onClick(now);
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}
