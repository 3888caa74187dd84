#include <pthread.h>
#include <sys/stat.h>

#include <mutex>
#include <vector>

#include "client_impl.h"

namespace coppice {

namespace {

struct Mapping {
  dev_t device;
  ino_t inode;
  std::weak_ptr<const Reader> reader;
};

// Never destroyed: clients may outlive any static.
struct Process {
  std::mutex mutex;
  std::vector<Mapping> mappings;
};
Process& process() {
  static Process* const instance = new Process;
  return *instance;
}

}  // namespace

std::shared_ptr<const Reader> Client::Impl::map_segment(int fd, bool prefault, std::string* error) {
  struct stat status;
  if (fstat(fd, &status) != 0) {
    *error = system_error("fstat of the segment");
    return nullptr;
  }
  Process& all = process();
  std::lock_guard lock(all.mutex);
  std::erase_if(all.mappings, [](const Mapping& m) { return m.reader.expired(); });
  for (const Mapping& m : all.mappings) {
    if (m.device != status.st_dev || m.inode != status.st_ino) continue;
    if (auto reader = m.reader.lock()) return reader;
  }
  std::shared_ptr<const Reader> reader = Reader::map(fd, error);
  if (reader == nullptr) return nullptr;
  if (prefault) reader->prefault();
  all.mappings.push_back({status.st_dev, status.st_ino, reader});
  return reader;
}

// Clients whose copies a forked child must cut off (invariant 10). The lock is held over fork(), so that the child sees
// a whole list whatever the other threads were doing.
struct Client::Impl::ForkRegistry {
  std::mutex mutex;
  Impl* first = nullptr;

  static ForkRegistry& get() {
    static ForkRegistry* const instance = [] {
      auto* registry = new ForkRegistry;
      pthread_atfork([] { get().before_fork(); }, [] { get().in_parent(); }, [] { get().in_child(); });
      return registry;
    }();
    return *instance;
  }
  void add(Impl* client);
  void remove(Impl* client);
  void before_fork() {
    mutex.lock();
    process().mutex.lock();
  }
  void in_parent() {
    process().mutex.unlock();
    mutex.unlock();
  }
  void in_child();
};
Client::Client(ClientOptions options) : impl_(new Impl), database_(options.database) {
  impl_->self = this;
  impl_->options = std::move(options);
  Impl::ForkRegistry::get().add(impl_.get());
}

Client::~Client() {
  Impl::ForkRegistry::get().remove(impl_.get());
  impl_->forget_mapping();
}

void Client::Impl::ForkRegistry::add(Impl* client) {
  std::lock_guard lock(mutex);
  client->next = first;
  if (first != nullptr) first->previous = client;
  first = client;
}

void Client::Impl::ForkRegistry::remove(Impl* client) {
  std::lock_guard lock(mutex);
  if (client->next != nullptr) client->next->previous = client->previous;
  (client->previous != nullptr ? client->previous->next : first) = client->next;
}

// Only what is allowed between fork and exec: no allocation, close() and plain stores. Invariant 10: a copy of the
// socket that stayed open would hide the parent's death from the owner, and two processes would share one
// conversation. The mapping stays, unused until this process has attached by itself.
void Client::Impl::ForkRegistry::in_child() {
  for (Impl* c = first; c != nullptr; c = c->next) {
    c->socket.reset();
    c->self->current_ = nullptr;
    c->self->hints_ = nullptr;
    c->state = LinkState::kUnreachable;
    c->next_attempt = 0;
    c->back_off = kFirstBackOff;
  }
  process().mutex.unlock();
  mutex.unlock();
}

}  // namespace coppice
