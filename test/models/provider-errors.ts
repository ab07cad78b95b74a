import type { ModelError } from "../../src/models/message.ts";

type Kind = ModelError["kind"];

/**
 * Error responses of providers: the expected kind, the provider, the status (undefined inside a stream or from the
 * network), and the body or text.
 *
 * Collected from the providers' documentation of errors and from reports. The expected kinds: `overflow` if only a
 * shorter conversation helps, `format` if the same request fails everywhere, `auth`, `billing` and `rate_limit` if
 * another key may work, `overloaded` and `timeout` if a later attempt may, `other` if another model may, such as with a
 * missing model.
 */
export type ProviderError = readonly [Kind, provider: string, status: number | undefined, said: unknown];

/** OpenAI's format, which many providers use. */
const openai = (
  message: string,
  type: string | null = "invalid_request_error",
  code: string | number | null = null,
) => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_011C",
});
const google = (code: number, status: string, message: string) => ({ error: { code, message, status } });
const page = (title: string, by: string) =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>${by}</center>\r\n</body>\r\n</html>`;

// biome-ignore format: a table, one error a line
export const PROVIDER_ERRORS: readonly ProviderError[] = [
  // OpenAI
  ["auth", "openai", 401, openai("Incorrect API key provided: sk-abc***wxyz. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key")],
  ["auth", "openai", 401, openai("You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).")],
  ["auth", "openai", 401, openai("You must be a member of an organization to use the API.")],
  ["auth", "openai", 403, openai("Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory")],
  ["billing", "openai", 429, openai("You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs.", "insufficient_quota", "insufficient_quota")],
  ["billing", "openai", 429, openai("Your account is not active, please check your billing details on our website.", "billing_not_active", "billing_not_active")],
  ["billing", "openai", 400, openai("Billing hard limit has been reached", "invalid_request_error", "billing_hard_limit_reached")],
  ["rate_limit", "openai", 429, openai("Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 28500, Requested 4000. Please try again in 5s. Visit https://platform.openai.com/account/rate-limits to learn more.", "tokens", "rate_limit_exceeded")],
  ["rate_limit", "openai", 429, openai("Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 38016. The input or output tokens must be reduced in order to run successfully.", "tokens", "rate_limit_exceeded")],
  ["rate_limit", "chatgpt", 429, { error: { type: "usage_limit_reached", message: "The usage limit has been reached", plan_type: "plus", resets_in_seconds: 12_345 } }],
  ["billing", "chatgpt", 403, openai("To use Codex with your ChatGPT plan, upgrade to Plus.", "usage_not_included", "usage_not_included")],
  ["overloaded", "openai", 503, openai("The engine is currently overloaded, please try again later", "server_error")],
  ["overloaded", "openai", 429, openai("That model is currently overloaded with other requests. You can retry your request, or contact us through our help center if the error persists.", "server_error")],
  ["timeout", "openai", 500, openai("The server had an error while processing your request. Sorry about that! (Please include the request ID req_1 in your email.)", "server_error")],
  ["timeout", "openai", undefined, { type: "error", code: "server_error", message: "An error occurred while processing your request. You can retry your request, or contact us if the error persists." }],
  ["rate_limit", "openai", undefined, { type: "response.failed", response: { id: "resp_1", status: "failed", error: { code: "rate_limit_exceeded", message: "Rate limit reached for gpt-5 on tokens per min (TPM)." } } }],
  ["overflow", "openai", 400, openai("Your input exceeds the context window of this model. Please adjust your input and try again.", "invalid_request_error", "context_length_exceeded")],
  ["overflow", "openai", 400, openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens (129800 in the messages, 712 in the functions). Please reduce the length of the messages or functions.", "invalid_request_error", "context_length_exceeded")],
  ["overflow", "openai", 400, openai("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 310028 tokens. Please reduce the length of the messages.", "invalid_request_error", "context_length_exceeded")],
  ["overflow", "openai", 400, openai("Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000312 instead.", "invalid_request_error", "string_above_max_length")],
  ["format", "openai", 400, openai("Invalid 'input[4].id': string too long. Expected a string with maximum length 64, but got a string with length 110 instead.", "invalid_request_error", "string_above_max_length")],
  ["format", "openai", 400, openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "invalid_request_error", "unsupported_parameter")],
  ["format", "openai", 400, openai("max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.", "invalid_request_error", "invalid_value")],
  ["format", "openai", 400, openai("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1")],
  ["format", "openai", 400, openai("Invalid schema for function 'search': In context=(), 'required' is required to be supplied and to be an array including every key in properties.", "invalid_request_error", "invalid_function_parameters")],
  ["format", "openai", 400, openai("Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.", "invalid_request_error", "invalid_prompt")],
  ["format", "openai", 400, openai("No tool output found for function call call_abc.")],
  ["other", "openai", 404, openai("The model `gpt-9` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found")],
  ["other", "openai", 400, openai("The requested model 'gpt-9' does not exist.", "invalid_request_error", "model_not_found")],

  // Azure
  ["auth", "azure", 401, { error: { code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource." } }],
  ["auth", "azure", 403, { error: { code: "403", message: "Access denied due to Virtual Network/Firewall rules." } }],
  ["rate_limit", "azure", 429, { error: { code: "429", message: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 26 seconds." } }],
  ["overloaded", "azure", 429, { error: { code: "NoCapacity", message: "The system is currently experiencing high demand and cannot process your request. Your request exceeds the maximum usage size allowed during peak load. For improved capacity reliability, consider switching to Provisioned Throughput." } }],
  ["format", "azure", 400, { error: { message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.", type: null, param: "prompt", code: "content_filter", status: 400, innererror: { code: "ResponsibleAIPolicyViolation" } } }],
  ["timeout", "azure", 408, { error: { code: "Timeout", message: "The operation was timeout." } }],
  ["other", "azure", 404, { error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again." } }],

  // Anthropic
  ["overloaded", "anthropic", undefined, anthropic("overloaded_error", "Overloaded")],
  ["rate_limit", "anthropic", 429, anthropic("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit (https://docs.anthropic.com/en/api/rate-limits); see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.")],
  ["rate_limit", "anthropic", 429, anthropic("rate_limit_error", "This request would exceed your account's rate limit. Please try again later.")],
  ["rate_limit", "anthropic", 400, anthropic("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.")],
  ["billing", "anthropic", 400, anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")],
  ["billing", "anthropic", 403, anthropic("billing_error", "There is an issue with your billing or payment information. Please check your account.")],
  ["auth", "anthropic", 401, anthropic("authentication_error", "invalid x-api-key")],
  ["auth", "anthropic", 401, anthropic("authentication_error", "OAuth token has expired. Please obtain a new token or refresh your existing token.")],
  ["auth", "anthropic", 400, anthropic("invalid_request_error", "This organization has been disabled.")],
  ["auth", "anthropic", 403, anthropic("permission_error", "Your API key does not have permission to use the specified resource.")],
  ["overflow", "anthropic", 400, anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 190123 + 32000 > 200000, decrease input length or `max_tokens` and try again")],
  ["overflow", "anthropic", 413, anthropic("request_too_large", "Request exceeds the maximum size")],
  ["timeout", "anthropic", 500, anthropic("api_error", "Internal server error")],
  ["timeout", "anthropic", 504, anthropic("timeout_error", "Your request timed out while processing.")],
  ["format", "anthropic", 400, anthropic("invalid_request_error", "messages.5: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.")],
  ["format", "anthropic", 400, anthropic("invalid_request_error", "messages: text content blocks must be non-empty")],
  ["format", "anthropic", 400, anthropic("invalid_request_error", "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5")],
  ["format", "anthropic", 400, anthropic("invalid_request_error", "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6218184 bytes > 5242880 bytes")],
  ["other", "anthropic", 404, anthropic("not_found_error", "model: claude-3-opus-20240229")],

  // Google
  ["rate_limit", "gemini", 429, { error: { code: 429, message: "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. Please retry in 34.07s.", status: "RESOURCE_EXHAUSTED", details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }] } }],
  ["rate_limit", "vertex", 429, google(429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.")],
  ["rate_limit", "vertex", 429, google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: anthropic-claude-sonnet-4. Please submit a quota increase request.")],
  ["overloaded", "gemini", 503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")],
  ["overloaded", "gemini", 503, google(503, "UNAVAILABLE", "This model is currently experiencing high demand. Spikes in demand are usually temporary. Please try again later.")],
  ["timeout", "gemini", 500, google(500, "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")],
  ["timeout", "gemini", 504, google(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete.")],
  ["timeout", "gemini", 499, google(499, "CANCELLED", "The operation was cancelled.")],
  ["auth", "gemini", 400, google(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.")],
  ["auth", "gemini", 403, google(403, "PERMISSION_DENIED", "Generative Language API has not been used in project 123 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/generativelanguage.googleapis.com/overview?project=123 then retry.")],
  ["auth", "gemini", 403, google(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key.")],
  ["auth", "vertex", 401, google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.")],
  ["auth", "gemini", 400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use.")],
  ["billing", "gemini", 400, google(400, "FAILED_PRECONDITION", "Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.")],
  ["overflow", "gemini", 400, google(400, "INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).")],
  ["format", "gemini", 400, google(400, "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after a user turn or after a function response turn.")],
  ["format", "gemini", 400, google(400, "INVALID_ARGUMENT", "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore.")],
  ["other", "gemini", 404, google(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.")],

  // Bedrock
  ["rate_limit", "bedrock", 429, { message: "Too many tokens, please wait before trying again." }],
  ["rate_limit", "bedrock", undefined, "ThrottlingException: Too many tokens per day, please wait before trying again."],
  ["rate_limit", "bedrock", 400, { __type: "ServiceQuotaExceededException", message: "Your request exceeds the service quota for your account." }],
  ["overloaded", "bedrock", 503, { __type: "ServiceUnavailableException", message: "Bedrock is unable to process your request." }],
  ["overloaded", "bedrock", 429, { __type: "ModelNotReadyException", message: "The model is not ready for inference. Please retry." }],
  ["timeout", "bedrock", 408, { __type: "ModelTimeoutException", message: "Model has timed out in processing the request. Try your request again." }],
  ["timeout", "bedrock", undefined, { __type: "InternalServerException", message: "The system encountered an unexpected error during processing. Try your request again." }],
  ["auth", "bedrock", 403, { __type: "AccessDeniedException", message: "You don't have access to the model with the specified model ID." }],
  ["auth", "bedrock", 400, { __type: "ExpiredTokenException", message: "The security token included in the request is expired" }],
  ["auth", "bedrock", 400, { __type: "UnrecognizedClientException", message: "The security token included in the request is invalid." }],
  ["overflow", "bedrock", 400, { __type: "ValidationException", message: "Input is too long for requested model." }],
  ["format", "bedrock", 400, { __type: "ValidationException", message: "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096." }],
  ["format", "bedrock", 400, { __type: "ValidationException", message: "A conversation must start with a user message. Try again with a conversation that starts with a user message." }],
  ["other", "bedrock", 404, { __type: "ResourceNotFoundException", message: "Could not resolve the foundation model from the provided model identifier." }],

  // OpenRouter and other gateways
  ["billing", "openrouter", 402, { error: { message: "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 3395. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account", code: 402, metadata: { provider_name: null } } }],
  ["billing", "openrouter", 402, { error: { message: "Insufficient credits. Add more using https://openrouter.ai/settings/credits", code: 402 } }],
  ["rate_limit", "openrouter", 429, { error: { message: "Provider returned error", code: 429, metadata: { raw: "qwen/qwen3-coder:free is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits.", provider_name: "Chutes" } } }],
  ["rate_limit", "openrouter", 429, { error: { message: "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", code: 429 } }],
  ["overflow", "openrouter", 400, { error: { message: "This endpoint's maximum context length is 131072 tokens. However, you requested about 146180 tokens (142084 of text input, 4096 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.", code: 400 } }],
  ["overflow", "openrouter", 400, { error: { message: "Provider returned error", code: 400, metadata: { raw: "{\"error\":{\"message\":\"Input is too long: your prompt has 250001 tokens and the context window is 200000\",\"type\":\"invalid_request_error\"}}", provider_name: "Azure" } } }],
  ["auth", "openrouter", 401, { error: { message: "User not found.", code: 401 } }],
  ["other", "openrouter", 404, { error: { message: "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing", code: 404 } }],
  ["other", "openrouter", 400, { error: { message: "acme/none is not a valid model ID", code: 400 } }],
  ["billing", "openrouter", 403, { error: { message: "Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys", code: 403 } }],
  ["timeout", "openrouter", undefined, { error: { message: "Upstream idle timeout exceeded", code: 504 } }],
  ["timeout", "openrouter", 502, { error: { message: "Provider returned error", code: 502, metadata: { provider_name: "DeepInfra" } } }],
  ["billing", "vercel gateway", 402, { error: { message: "Insufficient funds. Please add credits to your account to continue using AI services.", type: "insufficient_funds" } }],
  ["billing", "opencode zen", 401, anthropic("CreditsError", "No payment method. Add a payment method here: https://opencode.ai/workspace/wrk_1/billing")],
  ["billing", "litellm proxy", 400, openai("Budget has been exceeded! Current cost: 10.2, Max budget: 10.0", "budget_exceeded", "400")],
  ["overflow", "litellm proxy", 400, openai("litellm.ContextWindowExceededError: litellm.BadRequestError: this one was refused upstream", null, "400")],
  ["rate_limit", "litellm proxy", 429, openai("No deployments available for selected model, Try again in 60 seconds. Passed model=gpt-5.", "None", "429")],
  ["auth", "litellm proxy", 401, openai("Authentication Error, Invalid proxy server token passed. Received API Key = sk-...abcd", "auth_error", "401")],
  ["billing", "one-api", 403, openai("用户额度不足, 剩余额度: ＄0.000000 (request id: 2026)", "new_api_error", "insufficient_user_quota")],
  ["billing", "one-api", 401, openai("该令牌额度已用尽 (request id: 2026)", "one_api_error", "")],
  ["overloaded", "one-api", 429, openai("当前分组上游负载已饱和，请稍后再试 (request id: 2026)", "upstream_error", "429")],
  ["auth", "one-api", 401, openai("无效的令牌 (request id: 2026)", "new_api_error", "")],
  ["rate_limit", "github models", 429, { error: { code: "RateLimitReached", message: "Rate limit of 15 per 60s exceeded for UserByModelByMinute. Please wait 12 seconds before retrying." } }],
  ["overflow", "github models", 413, { error: { code: "tokens_limit_reached", message: "Request body too large for gpt-4o model. Max size: 8000 tokens." } }],
  ["overflow", "github copilot", 400, { error: { message: "prompt token count of 140213 exceeds the limit of 128000", code: "model_max_prompt_tokens_exceeded" } }],
  ["other", "github copilot", 400, { error: { message: "The requested model is not supported.", code: "model_not_supported", param: "model", type: "invalid_request_error" } }],

  // Cloudflare
  ["rate_limit", "workers ai", 429, { errors: [{ message: "AiError: AiError: you have used up your daily free allocation of 10,000 neurons, please upgrade to Cloudflare's Workers Paid plan if you would like to continue usage.", code: 4006 }], success: false, result: {}, messages: [] }],
  ["overloaded", "workers ai", 429, { errors: [{ message: "AiError: AiError: Capacity temporarily exceeded, please try again. (1c6b)", code: 3040 }], success: false }],
  ["auth", "workers ai", 401, { success: false, errors: [{ code: 10_000, message: "Authentication error" }] }],
  ["other", "workers ai", 400, { errors: [{ message: "AiError: No such model @cf/acme/none or task", code: 5007 }], success: false }],
  ["overflow", "workers ai", 413, { errors: [{ message: "AiError: The estimated number of input and maximum output tokens (9012) exceeded this model context window limit (7968).", code: 5021 }], success: false }],
  ["rate_limit", "ai gateway", 429, { success: false, result: [], messages: [], error: [{ code: 2003, message: "Rate limited" }] }],

  // DeepSeek
  ["billing", "deepseek", 402, openai("Insufficient Balance", "unknown_error", "invalid_request_error")],
  ["auth", "deepseek", 401, openai("Authentication Fails, Your api key: ****abcd is invalid", "authentication_error", "invalid_request_error")],
  ["overloaded", "deepseek", 503, openai("Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.", "service_unavailable_error", "service_unavailable_error")],
  ["format", "deepseek", 400, openai("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'", "invalid_request_error", "invalid_request_error")],
  ["other", "deepseek", 400, openai("Model Not Exist", "invalid_request_error", "invalid_request_error")],
  ["format", "deepseek", 422, "Failed to deserialize the JSON body into the target type: messages[0]: missing field `content` at line 1 column 84"],

  // Moonshot
  ["rate_limit", "moonshot", 429, { error: { type: "rate_limit_reached_error", message: "Your account org-x<ak-y> request reached organization max RPM: 3, please try again after 1 seconds" } }],
  ["rate_limit", "moonshot", 429, { error: { type: "rate_limit_reached_error", message: "Your account org-x<ak-y> request reached organization max concurrency: 1, please try again after 1 seconds" } }],
  ["overloaded", "moonshot", 429, { error: { type: "engine_overloaded_error", message: "The engine is currently overloaded, please try again later" } }],
  ["billing", "moonshot", 429, { error: { type: "exceeded_current_quota_error", message: "Your account org-x<ak-y> is suspended due to insufficient balance, please recharge your account or check your plan and billing details" } }],
  ["auth", "moonshot", 401, { error: { type: "invalid_authentication_error", message: "Invalid Authentication" } }],
  ["other", "moonshot", 404, { error: { type: "resource_not_found_error", message: "Not found the model kimi-k9 or Permission denied" } }],
  ["overflow", "moonshot", 400, { error: { type: "invalid_request_error", message: "Input token length too long" } }],
  ["format", "moonshot", 400, { error: { type: "content_filter", message: "The request was rejected because it was considered high risk" } }],
  ["rate_limit", "kimi code", 403, { error: { type: "access_terminated_error", message: "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle. Upgrade to get more." } }],

  // Zhipu
  ["billing", "zhipu", 429, { error: { code: "1113", message: "余额不足或无可用资源包,请充值。" } }],
  ["rate_limit", "zhipu", 429, { error: { code: "1302", message: "您当前使用该API的并发数过高，请降低并发，或联系客服增加限额" } }],
  ["rate_limit", "zhipu", 429, { error: { code: "1308", message: "已达到 5 小时的使用上限。您的限额将在 2026-10-10 12:00:00 重置" } }],
  ["rate_limit", "z.ai", 429, { error: { code: "1308", message: "Usage limit reached for 5 hour. Your limit will reset at 2026-10-10 12:00:00" } }],
  ["overloaded", "zhipu", 429, { error: { code: "1312", message: "该模型当前访问量过大，请您稍后再试" } }],
  ["overflow", "zhipu", 400, { error: { code: "1261", message: "Prompt 超长" } }],
  ["auth", "zhipu", 401, { error: { code: "1000", message: "身份验证失败" } }],
  ["auth", "zhipu", undefined, { error: { code: "401", message: "令牌已过期或验证不正确" } }],
  ["format", "zhipu", 400, { error: { code: "1214", message: "messages 参数非法。请检查文档。" } }],
  ["other", "zhipu", 400, { error: { code: "1211", message: "模型不存在，请检查模型代码。" } }],
  ["timeout", "zhipu", undefined, { error: { code: "1234", message: "网络错误，错误id：2026，请联系客服。" } }],
  ["billing", "zhipu", 429, { error: { code: "1309", message: "您的GLM Coding Plan套餐已到期，暂无法使用，前往官方续订后即可恢复" } }],

  // Alibaba
  ["billing", "dashscope", 400, { error: { code: "Arrearage", param: null, message: "Access denied, please make sure your account is in good standing.", type: "Arrearage" }, id: "chatcmpl-1" }],
  ["rate_limit", "dashscope", 429, { code: "Throttling.RateQuota", message: "Requests rate limit exceeded, please try again later.", request_id: "1" }],
  ["rate_limit", "dashscope", 429, { code: "Throttling.AllocationQuota", message: "Allocated quota exceeded, please increase your quota limit.", request_id: "1" }],
  ["billing", "dashscope", 403, { error: { code: "AllocationQuota.FreeTierOnly", message: "The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the \"use free tier only\" mode in the management console.", type: "AllocationQuota.FreeTierOnly" } }],
  ["auth", "dashscope", 401, { code: "InvalidApiKey", message: "Invalid API-key provided.", request_id: "1" }],
  ["auth", "dashscope", 403, { code: "AccessDenied.Unpurchased", message: "Access to model denied. Please make sure you are eligible for using the model.", request_id: "1" }],
  ["overflow", "dashscope", 400, { error: { code: "invalid_parameter_error", message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", type: "invalid_request_error" } }],
  ["format", "dashscope", 400, { error: { code: "invalid_parameter_error", message: "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", type: "invalid_request_error" } }],
  ["format", "dashscope", 400, { error: { code: "data_inspection_failed", message: "Input data may contain inappropriate content.", type: "data_inspection_failed" } }],
  ["timeout", "dashscope", 500, { code: "InternalError.Timeout", message: "An internal timeout error has occurred during execution, please try again later or contact service support.", request_id: "1" }],

  // Baidu
  ["auth", "qianfan", undefined, { error_code: 110, error_msg: "Access token invalid or no longer valid" }],
  ["rate_limit", "qianfan", undefined, { error_code: 17, error_msg: "Open api daily request limit reached" }],
  ["rate_limit", "qianfan", undefined, { error_code: 18, error_msg: "Open api qps request limit reached" }],
  ["rate_limit", "qianfan", 429, { error: { code: "rpm_rate_limit_exceeded", message: "Rate limit reached for RPM", type: "rate_limit_exceeded" }, id: "as-1" }],
  ["overflow", "qianfan", 400, { error: { code: "tokens_too_long", message: "Prompt tokens too long", type: "invalid_request_error" }, id: "as-1" }],
  ["overflow", "qianfan", 400, { error: { code: "characters_too_long", message: "the max input characters is 516096", type: "invalid_request_error" }, id: "as-1" }],
  ["auth", "qianfan", 401, { error: { code: "invalid_iam_token", message: "IAM Certification failed", type: "invalid_request_error" }, id: "as-1" }],
  ["timeout", "qianfan", undefined, { error_code: 1, error_msg: "Unknown error, internal server error, please retry" }],

  // Volcengine
  ["billing", "ark", 403, { error: { code: "AccountOverdueError", message: "The request failed because your account has an overdue balance. Request id: 02", param: "", type: "Forbidden" } }],
  ["overloaded", "ark", 429, { error: { code: "ServerOverloaded", message: "The service is currently unable to handle additional requests due to server overload. Request id: 02", param: "", type: "TooManyRequests" } }],
  ["rate_limit", "ark", 429, { error: { code: "RateLimitExceeded.EndpointTPMExceeded", message: "The Tokens Per Minute (TPM) limit of the associated endpoint for your account has been exceeded. Request id: 02", param: "", type: "TooManyRequests" } }],
  ["auth", "ark", 401, { error: { code: "AuthenticationError", message: "The API key or AK/SK in the request is missing or invalid. Request id: 02", param: "", type: "Unauthorized" } }],
  ["other", "ark", 404, { error: { code: "InvalidEndpointOrModel.NotFound", message: "The model or endpoint ep-1 does not exist or you do not have access to it. Request id: 02", param: "", type: "NotFound" } }],
  ["format", "ark", 400, { error: { code: "MissingParameter", message: "The request failed because it is missing one or multiple required parameters. Request id: 02", param: "", type: "BadRequest" } }],
  ["billing", "ark", 400, { error: { code: "InvalidSubscription", message: "Your account does not have a valid CodingPlan subscription, or your subscription has expired.", type: "BadRequest" } }],

  // MiniMax
  ["billing", "minimax", undefined, { base_resp: { status_code: 1008, status_msg: "insufficient balance" } }],
  ["auth", "minimax", 401, { type: "error", error: { type: "authorized_error", message: "login fail: Please carry the API secret key in the 'Authorization' field of the request header (1004)", http_code: "401" } }],
  ["overflow", "minimax", 400, { type: "error", error: { type: "bad_request_error", message: "invalid params, context window exceeds limit (2013)", http_code: "400" } }],
  ["format", "minimax", 400, { type: "error", error: { type: "bad_request_error", message: "invalid params, tool result's tool id(call_1) not found (2013)", http_code: "400" } }],
  ["rate_limit", "minimax", undefined, { base_resp: { status_code: 1002, status_msg: "rate limit" } }],
  ["timeout", "minimax", undefined, { base_resp: { status_code: 1001, status_msg: "request timeout" } }],

  // SiliconFlow
  ["billing", "siliconflow", 403, { code: 30_001, message: "Sorry, your account balance is insufficient", data: null }],
  ["rate_limit", "siliconflow", 429, { message: "Request was rejected due to rate limiting. If you want more, please contact contact@siliconflow.cn. Details:TPM limit reached.", data: "" }],
  ["overloaded", "siliconflow", 503, { code: 50_505, message: "Model service overloaded. Please try again later.", data: null }],
  ["overflow", "siliconflow", 400, { code: 20_015, message: "length of prompt_tokens (33112) must be less than max_seq_len (32768).", data: null }],
  ["auth", "siliconflow", 401, '"Api key is invalid"'],
  ["other", "siliconflow", 400, { code: 20_012, message: "Model does not exist. Please check it carefully.", data: null }],

  // Mistral
  ["rate_limit", "mistral", 429, { object: "error", message: "Requests rate limit exceeded", type: "rate_limited", param: null, code: "1300" }],
  ["overloaded", "mistral", 429, { object: "error", message: "Service tier capacity exceeded for this model.", type: "service_tier_capacity_exceeded", param: null, code: "3505" }],
  ["auth", "mistral", 401, { message: "Unauthorized", request_id: "1" }],
  ["overflow", "mistral", 400, { object: "error", message: "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length", type: "invalid_request_prompt", param: null, code: "3051" }],
  ["format", "mistral", 400, { object: "error", message: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant", type: "invalid_request_message_order", param: null, code: "3230" }],
  ["format", "mistral", 422, { detail: [{ type: "extra_forbidden", loc: ["body", "store"], msg: "Extra inputs are not permitted", input: true }] }],
  ["other", "mistral", 400, { object: "error", message: "Invalid model: mistral-none", type: "invalid_model", param: null, code: "1500" }],

  // Groq
  ["rate_limit", "groq", 429, openai("Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 99336, Requested 1541. Please try again in 12m37.728s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing", "tokens", "rate_limit_exceeded")],
  ["overloaded", "groq", 503, openai("llama-3.3-70b-versatile is currently over capacity. Please try again and back off exponentially. Visit https://groqstatus.com to see if there is an active incident.", "internal_server_error")],
  ["overloaded", "groq", 498, openai("Flex tier capacity exceeded. Please try again later.", "invalid_request_error", "capacity_exceeded")],
  ["auth", "groq", 400, openai("Organization has been restricted. Please reach out to support if you believe this was in error.", "invalid_request_error", "organization_restricted")],
  ["overflow", "groq", 413, openai("Request too large for model `llama-3.1-8b-instant` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 16232, please reduce your message size and try again.", "tokens", "rate_limit_exceeded")],
  ["format", "groq", 400, openai("`max_completion_tokens` must be less than or equal to `40960`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model")],
  ["other", "groq", 400, openai("The model `llama3-70b-8192` has been decommissioned and is no longer supported. Please refer to https://console.groq.com/docs/deprecations for a recommendation on which model to use instead.", "invalid_request_error", "model_decommissioned")],

  // xAI
  ["auth", "xai", 400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***yz. You can obtain an API key from https://console.x.ai." }],
  ["billing", "xai", 403, { code: "The caller does not have permission to execute the specified operation", error: "Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai/team/1." }],
  ["billing", "xai", 429, { code: "Some resource has been exhausted", error: "Your team 1 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit." }],
  ["rate_limit", "xai", 429, { code: "Some resource has been exhausted", error: "Too many requests for team 1 and model grok-4. Your team's rate limit is - Requests per Second (actual/limit): 4/4" }],
  ["overflow", "xai", 400, { code: "Client specified an invalid argument", error: "This model's maximum prompt length is 131072 but the request contains 140211 tokens." }],
  ["overloaded", "xai", 503, { code: "The service is currently unavailable", error: "Service temporarily unavailable. The model did not respond to this request." }],
  ["other", "xai", 404, { code: "Some requested entity was not found", error: "The model grok-99 does not exist or your team 1 does not have access to it." }],

  // Together
  ["billing", "together", 402, { id: "1", error: { message: "Credit limit exceeded, please navigate to https://api.together.ai/settings/billing to upgrade your plan.", type: "credit_limit", param: null, code: null } }],
  ["overloaded", "together", 503, { error: { message: "The server is overloaded or not ready yet.", type: "server_error", param: null, code: "503" } }],
  ["overflow", "together", 422, { error: { message: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4050 `inputs` tokens and 512 `max_new_tokens`", type: "invalid_request_error", param: "max_tokens", code: null } }],
  ["rate_limit", "together", 429, { error: { message: "You have been rate limited. Your rate limit is 60 queries per minute. Please navigate to https://www.together.ai/forms/rate-limit-increase to request a rate limit increase.", type: "credit_limit", param: null, code: "null" } }],
  ["other", "together", 400, { error: { message: "Unable to access model acme/none. Please visit https://api.together.ai/models to view the list of supported models.", type: "invalid_request_error", param: "model", code: "model_not_available" } }],

  // Fireworks
  ["billing", "fireworks", 412, { error: { object: "error", type: "invalid_request_error", message: "Account acme is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. Please go to https://fireworks.ai/account/billing for more information." } }],
  ["overflow", "fireworks", 400, { error: { object: "error", type: "invalid_request_error", message: "The prompt is too long: 140213, model maximum context length: 131071" } }],
  ["other", "fireworks", 404, { error: { object: "error", type: "invalid_request_error", message: "Model not found, inaccessible, and/or not deployed" } }],
  ["auth", "fireworks", 403, { error: { object: "error", type: "invalid_request_error", message: "unauthorized" } }],

  // Cerebras
  ["rate_limit", "cerebras", 429, { message: "Tokens per minute limit exceeded - too many tokens processed.", type: "too_many_tokens_error", param: "quota", code: "token_quota_exceeded" }],
  ["overloaded", "cerebras", 429, { message: "We're experiencing high traffic right now! Please try again soon.", type: "too_many_requests_error", param: "queue", code: "queue_exceeded" }],
  ["overflow", "cerebras", 400, { message: "Please reduce the length of the messages or completion. Current length is 8200 while limit is 8192", type: "invalid_request_error", param: "messages", code: "context_length_exceeded" }],
  ["auth", "cerebras", 401, { message: "Wrong API Key", type: "invalid_request_error", param: "api_key", code: "wrong_api_key" }],

  // Cohere, Perplexity
  ["auth", "cohere", 401, { message: "invalid api token" }],
  ["rate_limit", "cohere", 429, { message: "You are using a Trial key, which is limited to 20 API calls / minute. You can continue to use the Trial key for free or upgrade to a Production key with higher rate limits at 'https://dashboard.cohere.com/api-keys'." }],
  ["overflow", "cohere", 400, { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4352. Try using a shorter prompt, or enabling prompt truncating." }],
  ["overflow", "cohere", 400, { message: "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or setting prompt_truncation='AUTO'." }],
  ["other", "cohere", 404, { message: "model 'command-none' not found, make sure the correct model ID was used and that you have access to the model." }],
  ["billing", "perplexity", 401, { error: { message: "You exceeded your current quota. For more information, read the docs.", type: "insufficient_quota", code: 401 } }],
  ["auth", "perplexity", 401, page("401 Authorization Required", "openresty/1.25.3.1")],
  ["rate_limit", "perplexity", 429, { error: { message: "Request rate limit exceeded, try again later.", type: "request_rate_limit_exceeded", code: 429 } }],
  ["other", "perplexity", 400, { error: { message: "Invalid model 'sonar-none'. Permitted models can be found in the documentation at https://docs.perplexity.ai.", type: "invalid_model", code: 400 } }],
  ["format", "perplexity", 400, { error: { message: "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).", type: "invalid_message", code: 400 } }],

  // NVIDIA, Hugging Face, Replicate, Novita
  ["auth", "nvidia", 401, { status: 401, title: "Unauthorized", detail: "Authentication failed" }],
  ["billing", "nvidia", 402, { status: 402, title: "Payment Required", detail: "Account 'a': Cloud credits expired - Please contact NVIDIA representatives" }],
  ["other", "nvidia", 404, { status: 404, title: "Not Found", detail: "Function 'f': Not found for account 'a'" }],
  ["rate_limit", "nvidia", 429, { status: 429, title: "Too Many Requests" }],
  ["timeout", "nvidia", 500, { type: "urn:inference-service:problem-details:internal-server-error", title: "Internal Server Error", status: 500, detail: "Inference connection error while making inference request" }],
  ["billing", "hugging face", 402, { error: "You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO to get 20x more monthly included credits." }],
  ["overloaded", "hugging face", 503, { error: "Model meta-llama/Llama-2-70b-chat is currently loading", estimated_time: 20 }],
  ["overloaded", "hugging face", 429, { error: "Model is overloaded", error_type: "overloaded" }],
  ["overflow", "hugging face", 422, { error: "Input validation error: `inputs` must have less than 4095 tokens. Given: 5012", error_type: "validation" }],
  ["auth", "hugging face", 401, { error: "Invalid username or password." }],
  ["rate_limit", "hugging face", 429, { error: "Rate limit reached. You reached free usage limit (reset hourly). Please subscribe to a plan at https://huggingface.co/pricing to use the API at this rate" }],
  ["other", "hugging face", 400, openai("The requested model 'acme/none' is not supported by any provider you have enabled.", "invalid_request_error", "model_not_supported")],
  ["billing", "replicate", 402, { title: "Insufficient credit", detail: "You have insufficient credit to run this model. Go to https://replicate.com/account/billing#billing to purchase credit.", status: 402 }],
  ["rate_limit", "replicate", 429, { title: "Request was throttled", detail: "Request was throttled. Your rate limit resets in ~30s.", status: 429 }],
  ["billing", "novita", 403, { code: 403, reason: "NOT_ENOUGH_BALANCE", message: "not enough balance", metadata: {} }],
  ["rate_limit", "novita", 429, { code: 429, reason: "TOKEN_LIMIT_EXCEEDED", message: "token limit exceeded, please try again later", metadata: {} }],

  // Local servers
  ["overflow", "vllm", 400, { object: "error", message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4488 in the messages, 512 in the completion). Please reduce the length of the messages or completion.", type: "BadRequestError", param: null, code: 400 }],
  ["overflow", "vllm", 400, { object: "error", message: "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.", type: "BadRequestError", param: null, code: 400 }],
  ["overflow", "vllm", 400, { object: "error", message: "max_tokens must be at least 1, got -186.", type: "BadRequestError", param: null, code: 400 }],
  ["format", "vllm", 400, { object: "error", message: "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", type: "BadRequestError", param: null, code: 400 }],
  ["other", "vllm", 404, { object: "error", message: "The model `none` does not exist.", type: "NotFoundError", param: null, code: 404 }],
  ["timeout", "vllm", 500, { object: "error", message: "EngineCore encountered an issue. See stack trace (above) for the root cause.", type: "InternalServerError", param: null, code: 500 }],
  ["auth", "vllm", 401, { error: "Unauthorized" }],
  ["overflow", "sglang", 400, { object: "error", message: "The input (70113 tokens) is longer than the model's context length (32768 tokens).", type: "BadRequestError", code: 400 }],
  ["overloaded", "sglang", 503, { object: "error", message: "The request queue is full.", type: "Service Unavailable", code: 503 }],
  ["overflow", "llama.cpp", 400, { error: { code: 400, message: "request (66202 tokens) exceeds the available context size (65536 tokens), try increasing it", type: "exceed_context_size_error", n_prompt_tokens: 66_202, n_ctx: 65_536 } }],
  ["overloaded", "llama.cpp", 503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }],
  ["auth", "llama.cpp", 401, { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } }],
  ["other", "ollama", 404, { error: { message: "model \"llama9\" not found, try pulling it first", type: "api_error", param: null, code: null } }],
  ["timeout", "ollama", 500, { error: { message: "llama runner process has terminated: exit status 2", type: "api_error", param: null, code: null } }],
  ["overloaded", "ollama", 503, { error: "server busy, please try again.  maximum pending requests exceeded" }],
  ["format", "ollama", 400, { error: { message: "registry.ollama.ai/library/gemma:2b does not support tools", type: "api_error", param: null, code: null } }],
  ["rate_limit", "ollama cloud", 429, { error: "you've reached your hourly usage limit, please upgrade to continue" }],
  ["overflow", "lm studio", 400, { error: "Trying to keep the first 9012 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input" }],
  ["other", "lm studio", 404, openai("No models loaded. Please load a model in the developer page or use the `lms load` command.", "invalid_request_error", "model_not_found")],
  ["format", "lm studio", 400, { error: "Error rendering prompt with jinja template: \"Conversation roles must alternate user/assistant/user/assistant/...\"." }],

  // Proxies
  ["timeout", "nginx", 502, page("502 Bad Gateway", "nginx/1.24.0")],
  ["timeout", "nginx", 504, page("504 Gateway Time-out", "nginx")],
  ["overloaded", "nginx", 503, page("503 Service Temporarily Unavailable", "nginx")],
  ["overflow", "nginx", 413, page("413 Request Entity Too Large", "nginx")],
  ["rate_limit", "nginx", 429, page("429 Too Many Requests", "nginx")],
  ["auth", "nginx", 403, page("403 Forbidden", "nginx")],
  ["timeout", "cloudflare", 520, "error code: 520"],
  ["timeout", "cloudflare", 522, "<!DOCTYPE html><html><head><title>api.example.com | 522: Connection timed out</title></head><body>Cloudflare Ray ID: 9</body></html>"],
  ["rate_limit", "cloudflare", 429, "error code: 1015"],
  ["timeout", "cloudflare", 403, "<!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment...</title></head><body>Enable JavaScript and cookies to continue</body></html>"],
  ["overloaded", "envoy", 503, "no healthy upstream"],
  ["timeout", "envoy", 504, "upstream request timeout"],
  ["timeout", "envoy", undefined, "upstream connect error or disconnect/reset before headers. reset reason: connection termination"],
  ["timeout", "workerd", undefined, "Network connection lost."],
  ["timeout", "workerd", undefined, "internal error; reference = 5m3tq1"],
  ["timeout", "fetch", undefined, "The operation was aborted due to timeout"],
  ["timeout", "fetch", undefined, "terminated"],
  ["timeout", "node", undefined, "read ECONNRESET"],
  ["timeout", "node", undefined, "getaddrinfo EAI_AGAIN api.x.ai"],
  ["timeout", "node", undefined, "connect EHOSTUNREACH 10.0.0.1:443"],
  ["timeout", "undici", undefined, "Connect Timeout Error (attempted address: api.openai.com:443, timeout: 10000ms)"],
  ["timeout", "undici", undefined, "other side closed"],
  ["timeout", "http/2", undefined, "stream error: stream ID 5; INTERNAL_ERROR; received from peer"],
  ["timeout", "http/2", undefined, "http2: server sent GOAWAY and closed the connection; LastStreamID=19, ErrCode=NO_ERROR"],
  ["timeout", "node-fetch", undefined, "Invalid response body while trying to fetch https://api.example.com/v1/chat/completions: Premature close"],
];
