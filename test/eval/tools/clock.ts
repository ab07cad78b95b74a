// Lets a Worker live at another time: its clock, and the alarms of its objects. Imported before everything else.

const RealDate = Date;
let aheadMs = 0;
let areAlarmsShifted = false;

/** Sets the time that it is now, in milliseconds since the epoch. */
export function setClock(now: number): void {
  aheadMs = now - RealDate.now();
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + aheadMs] : args, newTarget),
  get: (target, key) => (key === "now" ? () => target.now() + aheadMs : Reflect.get(target, key)),
});

/** Lets alarms ring by that clock: workerd has one of its own. */
export function shiftAlarms(storage: DurableObjectStorage): void {
  if (areAlarmsShifted) return;
  areAlarmsShifted = true;
  const prototype: DurableObjectStorage = Object.getPrototypeOf(storage);
  const { setAlarm, getAlarm } = prototype;
  prototype.setAlarm = function (this: DurableObjectStorage, at, options) {
    return setAlarm.call(this, Number(at) - aheadMs, options);
  };
  prototype.getAlarm = async function (this: DurableObjectStorage, options) {
    const at = await getAlarm.call(this, options);
    return at === null ? null : at + aheadMs;
  };
}
