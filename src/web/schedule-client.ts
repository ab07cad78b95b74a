import { requestJson, requestOk, type Server } from "../client/http.ts";
import { type Heartbeat, isHeartbeat, isJob, isJobs, isSchedule, type JobView, type Schedule } from "../client/wire.ts";

/** A message that no consumer could handle. */
export type DeadLetter = Schedule["deadLetters"][number];

/** The heartbeat of an agent: none, where the configuration gives it none. @throws ApiError */
export async function heartbeatsOf(server: Server, agentId: string): Promise<Heartbeat[]> {
  const heartbeat = await requestJson(server, { path: heartbeatPath(agentId) }, isHeartbeat);
  return heartbeat.state === "none" ? [] : [heartbeat];
}

/** Lets a heartbeat run now. @throws ApiError */
export function wakeHeartbeat(server: Server, { agentId }: Heartbeat): Promise<Heartbeat> {
  return requestJson(server, { method: "POST", path: `${heartbeatPath(agentId)}/wake`, body: {} }, isHeartbeat);
}

/** The jobs and reminders of an agent. @throws ApiError */
export async function jobsOf(server: Server, agentId: string): Promise<readonly JobView[]> {
  const path = `/v1/jobs?agentId=${encodeURIComponent(agentId)}`;
  return (await requestJson(server, { path }, isJobs)).jobs;
}

/** Lets a job run now, besides its times. @returns it as it was @throws ApiError */
export async function runJob(server: Server, job: JobView): Promise<JobView> {
  await requestOk(server, { method: "POST", path: `${jobPath(job.id)}/run` });
  return job;
}

/** Pauses a job, or lets it go on. @throws ApiError */
export function switchJob(server: Server, { id, enabled }: JobView): Promise<JobView> {
  return requestJson(server, { method: "PATCH", path: jobPath(id), body: { enabled: !enabled } }, isJob);
}

/** Removes a job with its history. @throws ApiError */
export function removeJob(server: Server, { id }: JobView): Promise<void> {
  return requestOk(server, { method: "DELETE", path: jobPath(id) });
}

/** Messages of queues that no consumer could handle, the latest first. @throws ApiError */
export async function deadLettersOf(server: Server): Promise<readonly DeadLetter[]> {
  return (await requestJson(server, { path: "/v1/schedule" }, isSchedule)).deadLetters;
}

function heartbeatPath(agentId: string): string {
  return `/v1/heartbeats/${encodeURIComponent(agentId)}`;
}

function jobPath(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}
