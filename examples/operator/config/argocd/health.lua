-- What Argo CD shows of an Environment, and of an object of a class: it does not use kstatus.
local health = { status = "Progressing", message = "The operator has not looked at it since the last change." }
local status = obj.status
if status == nil or status.observedGeneration ~= obj.metadata.generation then
  return health
end
local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end
local function holds(kind)
  return conditions[kind] ~= nil and conditions[kind].status == "True"
end
if conditions.Ready ~= nil then
  health.message = conditions.Ready.message
end
if holds("Stalled") then
  health.status = "Degraded"
elseif holds("Suspended") and not holds("Reconciling") then
  health.status = "Suspended"
  health.message = conditions.Suspended.message
elseif holds("Ready") then
  health.status = "Healthy"
end
return health
