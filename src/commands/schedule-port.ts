/** What the commands of the schedule use. Every method throws an Error that names what is wrong and the fix. */
export interface SchedulePort {
  now(): number;
  /** Sets a reminder once, also where the command is repeated; its local time and zone. */
  remind(at: string, text: string): Promise<{ time: string; zone: string }>;
  /** The agent's jobs, a line each. */
  jobs(): Promise<string[]>;
  runJob(id: string): Promise<void>;
  switchJob(id: string, isOn: boolean): Promise<void>;
  removeJob(id: string): Promise<void>;
  /** The agent's heartbeat, as lines. */
  heartbeat(): Promise<string[]>;
  switchHeartbeat(isOn: boolean): Promise<void>;
  wakeHeartbeat(): Promise<void>;
}
