// All waits of a clock on one timerfd, armed for the earliest.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/system_clock.hpp"

#include "runtime/context_tenant.hpp"
#include "runtime/wait_queue.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/system/system_error.hpp>

#include <sys/timerfd.h>
#include <time.h>

#include <cerrno>
#include <mutex>
#include <optional>
#include <vector>

namespace dynalease::runtime {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

clock::time_point boot_time() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

int open_timer() {
    const int descriptor = ::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor < 0) throw boost::system::system_error(errno, boost::system::system_category(), "timerfd_create");
    return descriptor;
}

}  // namespace

/// The mutex guards everything, the descriptor object too: its operations are started and cancelled on any thread.
/// No handler is called, posted or destroyed under it.
class system_clock::timer final : public context_tenant {
public:
    explicit timer(const asio::any_io_executor& executor)
        : context_tenant(asio::query(executor, asio::execution::context)),
          executor_(executor),
          descriptor_(std::in_place, executor, open_timer()) {}

    void add(time_point when, wait_handler&& handler) {
        auto wait = std::make_shared<timed_wait>(executor_, std::move(handler));
        if (when <= boot_time()) {
            wait->complete({});
            return;
        }
        // Before it can complete; a wait that is over ignores what its slot may still emit.
        auto slot = asio::get_associated_cancellation_slot(wait->handler());
        if (slot.is_connected()) slot.assign(cancellation{weak_self(), wait});
        const std::lock_guard lock(mutex_);
        if (!descriptor_) return;
        waits_.add(when, wait);
        arm();
    }

    void close() noexcept {
        while (auto wait = take_left()) wait->complete(asio::error::operation_aborted);
        const std::lock_guard lock(mutex_);
        rest();
    }

private:
    struct cancellation {
        std::weak_ptr<timer> owner;
        std::weak_ptr<timed_wait> wait;

        void operator()(asio::cancellation_type type) const {
            if (type == asio::cancellation_type::none) return;
            const auto timer = owner.lock();
            const auto cancelled = wait.lock();
            if (timer && cancelled) timer->cancel(*cancelled);
        }
    };

    std::weak_ptr<timer> weak_self() { return std::static_pointer_cast<timer>(shared_from_this()); }

    /// One by one, and each without the mutex: what one of them owned may cancel another.
    std::shared_ptr<timed_wait> take_left() noexcept {
        const std::lock_guard lock(mutex_);
        return waits_.take_first();
    }

    void cancel(timed_wait& wait) {
        {
            const std::lock_guard lock(mutex_);
            if (!waits_.remove(wait)) return;
            if (waits_.empty()) rest();
        }
        wait.complete(asio::error::operation_aborted);
    }

    /// The kernel's timer is one for parent and child: whoever sets it sets it for both.
    void forked() override {
        {
            const std::lock_guard lock(mutex_);
            inherited_ = true;
        }
        asio::post(executor_, [self = std::static_pointer_cast<timer>(shared_from_this())] {
            const std::lock_guard lock(self->mutex_);
            if (self->descriptor_ && !self->waits_.empty()) self->arm();
        });
    }

    void renew() {
        rest();
        descriptor_.emplace(executor_, open_timer());
        armed_for_.reset();
        inherited_ = false;
    }

    /// A timer that fires earlier than needed, for a wait that was cancelled, is cheaper than to set it anew.
    void arm() {
        if (inherited_) renew();
        if (!armed_for_ || waits_.earliest() < *armed_for_) {
            set_timer(waits_.earliest());
            armed_for_ = waits_.earliest();
        }
        if (listening_) return;
        auto self = std::static_pointer_cast<timer>(shared_from_this());
        descriptor_->async_wait(asio::posix::stream_descriptor::wait_read,
                                [self = std::move(self), round = round_](error_code) { self->fired(round); });
        listening_ = true;  // only now: there may have been no memory for it
    }

    /// With nothing to wait for, nothing may be pending: `run()` must be able to return.
    void rest() noexcept {
        if (!listening_) return;
        listening_ = false;
        ++round_;
        error_code ignored;
        if (descriptor_) descriptor_->cancel(ignored);
    }

    void fired(std::uint64_t round) {
        std::vector<std::shared_ptr<timed_wait>> due;
        {
            const std::lock_guard lock(mutex_);
            if (round != round_ || !descriptor_) return;  // cancelled, and perhaps started again since
            listening_ = false;
            armed_for_.reset();
            const auto now = boot_time();
            while (auto wait = waits_.take_due(now)) due.push_back(std::move(wait));
            if (!waits_.empty()) arm();
        }
        for (const auto& wait : due) wait->complete({});
    }

    void set_timer(time_point when) {
        const auto since_boot = when.time_since_epoch();
        const auto whole = std::chrono::floor<std::chrono::seconds>(since_boot);
        itimerspec setting{};
        setting.it_value.tv_sec = whole.count();
        setting.it_value.tv_nsec = (since_boot - whole).count();
        if (::timerfd_settime(descriptor_->native_handle(), TFD_TIMER_ABSTIME, &setting, nullptr) != 0) {
            throw boost::system::system_error(errno, boost::system::system_category(), "timerfd_settime");
        }
    }

    void abandon() noexcept override {
        std::unique_lock lock(mutex_);
        // The descriptor must not outlive the context's reactor, as the clock itself may.
        auto closed = std::exchange(descriptor_, std::nullopt);
        lock.unlock();
        while (take_left()) continue;
    }

    const asio::any_io_executor executor_;
    std::mutex mutex_;
    std::optional<asio::posix::stream_descriptor> descriptor_;
    wait_queue waits_;
    std::optional<time_point> armed_for_;
    std::uint64_t round_ = 0;
    bool listening_ = false;
    bool inherited_ = false;
};

system_clock::system_clock(const asio::any_io_executor& executor) : timer_(std::make_shared<timer>(executor)) {}

system_clock::~system_clock() {
    timer_->close();
}

system_clock::time_point system_clock::now() const noexcept {
    return boot_time();
}

system_clock::wall_time system_clock::wall() const noexcept {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

void system_clock::wait_until(time_point when, wait_handler handler) {
    timer_->add(when, std::move(handler));
}

}  // namespace dynalease::runtime
